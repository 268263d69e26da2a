// What a push service gets, and the browser behind it: a service on loopback, with the decryption of RFC 8291 in this file.
import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import type { IncomingHttpHeaders } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { QuestionRow } from "@signalbox/protocol";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { openCertificateFiles } from "../data/self-signed.ts";
import { DeviceStore } from "./device-store.ts";
import { encodePublicPushKey } from "./push-key.ts";
import { QuestionPusher } from "./question-pusher.ts";
import { checkEndpoint, sendPush } from "./send-push.ts";

const folder = mkdtempSync(join(tmpdir(), "signalbox-push-"));
const files = openCertificateFiles(folder, ["localhost", "127.0.0.1"]);
const ca = readFileSync(files.cert, "utf8");
const received: { readonly headers: IncomingHttpHeaders; readonly body: Buffer; readonly path: string }[] = [];
let status = 201;
const service = createServer({ cert: ca, key: readFileSync(files.key) }, (request, response) => {
  const parts: Buffer[] = [];
  request.on("data", (part: Buffer) => parts.push(part));
  request.on("end", () => {
    received.push({ headers: request.headers, body: Buffer.concat(parts), path: request.url ?? "" });
    response.writeHead(status).end();
  });
});
let address: string;
beforeAll(async () => {
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  address = `https://127.0.0.1:${(service.address() as AddressInfo).port}`;
});
afterAll(() => {
  service.closeAllConnections();
  service.close();
  rmSync(folder, { recursive: true });
});
beforeEach(() => {
  received.length = 0;
  status = 201;
});

/** A browser's subscription, and how it reads what comes. */
function browser() {
  const keys = createECDH("prime256v1");
  const publicKey = keys.generateKeys();
  const auth = randomBytes(16);
  const derive = (key: Buffer, salt: Buffer, info: string | Buffer, length: number) =>
    Buffer.from(hkdfSync("sha256", key, salt, info, length));
  const read = (body: Buffer) => {
    const salt = body.subarray(0, 16);
    const keyLength = body.readUInt8(20);
    const theirKey = body.subarray(21, 21 + keyLength);
    const sealed = body.subarray(21 + keyLength);
    const info = Buffer.concat([Buffer.from("WebPush: info\0"), publicKey, theirKey]);
    const input = derive(keys.computeSecret(theirKey), auth, info, 32);
    const decipher = createDecipheriv(
      "aes-128-gcm",
      derive(input, salt, "Content-Encoding: aes128gcm\0", 16),
      derive(input, salt, "Content-Encoding: nonce\0", 12),
    ).setAuthTag(sealed.subarray(-16));
    const plain = Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
    expect(plain.at(-1)).toBe(2);
    return JSON.parse(plain.subarray(0, -1).toString()) as unknown;
  };
  return { target: { p256dh: publicKey.toString("base64url"), auth: auth.toString("base64url") }, read };
}

const question = {
  type: "permission",
  permission_id: "p1",
  thread_id: "t1",
  thread_title: "Release",
  agent_id: "fake",
  title: "publish",
  subject: { command: "npm publish\u202e --now", kind: "execute", paths: [], hosts: [] },
  hunks: [],
} as unknown as QuestionRow;

async function pusherWith(rows: readonly QuestionRow[]) {
  const devices = new DeviceStore(mkdtempSync(join(folder, "data-")));
  const problems: string[] = [];
  const network = { isRefused: () => false, ca };
  const pusher = new QuestionPusher(
    {
      devices,
      questions: async () => ({ rows }),
      agentLabel: () => "Fake",
      onProblem: (problem) => problems.push(problem),
    },
    network,
  );
  const phone = browser();
  const { device } = devices.add("Phone");
  const other = devices.add("Laptop").device;
  devices.setPush(device.id, { endpoint: `${address}/send/1`, ...phone.target });
  return { devices, pusher, phone, device, other, problems };
}

describe("a question", () => {
  it("reaches the device once, readable for its browser alone, signed by this host, with what may be denied", async () => {
    const { devices, pusher, phone, device, other } = await pusherWith([question]);
    pusher.refresh();
    await vi.waitFor(() => expect(received).toHaveLength(1));
    pusher.refresh();
    const [{ headers, body, path }] = received as [(typeof received)[0]];
    expect(path).toBe("/send/1");
    expect(headers).toMatchObject({ "content-encoding": "aes128gcm", ttl: "3600", urgency: "high" });
    expect(body.toString("latin1")).not.toContain("npm");
    expect(phone.read(body)).toEqual({
      type: "permission",
      question_id: "p1",
      thread_id: "t1",
      title: "Fake: Release",
      body: "Run: npm publish --now",
      can_deny: true,
    });
    const [, token = "", key] = /^vapid t=([^,]+), k=(.+)$/.exec(headers.authorization ?? "") ?? [];
    expect(key).toBe(encodePublicPushKey(devices.pushKey));
    const [head, claims = "", signature = ""] = token.split(".");
    const { d: _private, ...publicJwk } = devices.pushKey;
    const publicKey = createPublicKey({ key: publicJwk, format: "jwk" });
    const signed = { key: publicKey, dsaEncoding: "ieee-p1363" } as const;
    expect(verify("sha256", Buffer.from(`${head}.${claims}`), signed, Buffer.from(signature, "base64url"))).toBe(true);
    expect(JSON.parse(Buffer.from(claims, "base64url").toString())).toMatchObject({ aud: address });
    expect(pusher.wasSent(device.id, "p1")).toBe(true);
    expect(pusher.wasSent(other.id, "p1")).toBe(false);
    expect(pusher.wasSent(device.id, "p2")).toBe(false);
    expect(received).toHaveLength(1);
  });

  it("of a form has no Deny, and a long command is shortened", async () => {
    const form = {
      type: "elicitation",
      elicitation_id: "e1",
      thread_id: "t1",
      agent_id: "fake",
      message: "x".repeat(9000),
    };
    const { pusher, phone } = await pusherWith([form as unknown as QuestionRow]);
    pusher.refresh();
    await vi.waitFor(() => expect(received).toHaveLength(1));
    expect(phone.read(received[0]?.body ?? Buffer.alloc(0))).toMatchObject({
      can_deny: false,
      body: expect.stringMatching(/^x{300} …$/),
    });
  });

  it("switches the notifications of a browser off that its service does not know any more", async () => {
    status = 410;
    const { pusher, devices } = await pusherWith([question]);
    pusher.refresh();
    await vi.waitFor(() => expect(devices.list()[0]?.push).toBeNull());
  });

  it("that cannot be sent is a line in the log, and the device stays as it is", async () => {
    status = 500;
    const { pusher, devices, problems } = await pusherWith([question]);
    pusher.refresh();
    await vi.waitFor(() => expect(problems.join()).toContain("answered with 500"));
    expect(devices.list()[0]?.push).not.toBeNull();
  });
});

describe("the address of a push service", () => {
  it.each([
    "http://push.example/1",
    "https://127.0.0.1/1",
    "https://[::1]/1",
    "https://10.0.0.7/1",
    "https://169.254.169.254/latest/meta-data",
    "https://[::ffff:127.0.0.1]/1",
    "https://2130706433/",
    "https://0x7f.1/",
    "https://localhost/1",
    "https://evil.localhost/1",
    "https://name:password@push.example/1",
    "file:///etc/passwd",
    "push.example",
  ])("is refused: %s", (endpoint) => {
    expect(() => checkEndpoint(endpoint)).toThrow(/must begin with https|not on the internet/);
  });

  it.each(["https://fcm.googleapis.com/fcm/send/x", "https://web.push.apple.com/x", "https://8.8.8.8/x"])(
    "is accepted: %s",
    (endpoint) => {
      expect(checkEndpoint(endpoint).href).toBe(endpoint);
    },
  );

  it("is refused when its name leads to this machine, before anything is sent", async () => {
    const url = new URL(address.replace("127.0.0.1", "localhost"));
    await expect(sendPush(url, Buffer.from("x"), "vapid")).rejects.toThrow("not on the internet");
    expect(received).toEqual([]);
  });
});
