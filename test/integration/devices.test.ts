// Paired devices against a real host: a code becomes a token, the token opens everything but the devices, and a removed device is out immediately.
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { expect, it } from "vitest";
import { WebSocket } from "ws";
import { askPermission, toolCall } from "../support/fake-agent/script.ts";
import { FakeHost, submit, turnEnd, viewOf } from "../support/fake-host.ts";
import { TestScreen } from "../support/screen.ts";

/** A browser's keys; no one reads what is encrypted with them. */
const keys = {
  p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
  auth: "BTBZMqHH6r4Tts7J_aSIgg",
};

it("are paired once by a code, see everything but other devices, deny only what they were asked, and end when removed", async () => {
  await using host = await FakeHost.start();
  const { port, token: first } = host.process.ready;
  const post = async (path: string, body: object, token?: string) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method: "POST",
      headers: token === undefined ? {} : { Authorization: `Bearer ${token}` },
      body: JSON.stringify(body),
    });
    return { status: answer.status, body: (await answer.json()) as Record<string, string> };
  };
  const screen = await host.screen();
  const pairing = await screen.ask("devices.pair", { address: "box.example.ts.net" });
  expect(pairing).toMatchObject({ addresses: ["https://box.example.ts.net"], fingerprint: null });
  const code = pairing.code ?? "";

  // The code is for one device.
  const paired = await post("/pair", { code, name: "  My\u202e phone\n" });
  expect(paired.status).toBe(200);
  const { token = "", device_id = "" } = paired.body;
  expect((await post("/pair", { code, name: "Thief" })).status).toBe(401);

  // The address that was named is one of this host now; others are not.
  const statusUnder = (name: string) =>
    new Promise((resolve, reject) => {
      request({ host: "127.0.0.1", port, path: "/health", headers: { host: name } }, (answer) =>
        resolve(answer.resume().statusCode),
      )
        .on("error", reject)
        .end();
    });
  expect(await statusUnder("box.example.ts.net")).toBe(200);
  expect(await statusUnder("evil.example.ts.net")).toBe(403);

  // Its token opens a connection, but no other device can be paired or removed with it.
  const phone = await TestScreen.connect({ ...host.process.ready, token });
  expect(await phone.request({ control: "tvx.query", name: "devices.list" })).toMatchObject({
    rows: [{ id: device_id, name: "My phone", own: true, has_push: false }],
  });
  expect(await phone.request({ control: "devices.pair" })).toMatchObject({ code: "unauthorized" });
  expect(await phone.request({ control: "devices.remove", device_id: "other" })).toMatchObject({
    code: "unauthorized",
  });

  // Notifications go to services on the internet only, and to browsers with keys.
  const subscribe = (endpoint: string, more: object = {}) =>
    phone.request({ control: "push.subscribe", subscription: { endpoint, ...keys, ...more } });
  expect(await subscribe("https://169.254.169.254/x")).toMatchObject({ code: "bad_request" });
  expect(await subscribe("https://push.invalid/x", { p256dh: keys.p256dh.replace("BC", "BD") })).toMatchObject({
    code: "bad_request",
  });
  expect(await subscribe("https://push.invalid/x")).toMatchObject({ type: "tinyvex.ok" });

  // Deny from a notification: with the device's token, for what it was asked.
  const threadId = await host.thread(screen);
  const turnId = await submit(screen, threadId, toolCall("c1"), askPermission("c1"));
  const asked = () => viewOf(screen.received, threadId).permissions[0]?.permission_id;
  await expect.poll(asked).toBeDefined();
  const question = { thread_id: threadId, question_id: asked() ?? "" };
  expect((await post("/push/deny", question)).status).toBe(401);
  expect((await post("/push/deny", question, first)).status).toBe(401);
  expect((await post("/push/deny", { ...question, question_id: "another" }, token)).status).toBe(404);
  await expect.poll(async () => (await post("/push/deny", question, token)).status).toBe(200);
  await turnEnd(screen, turnId);
  expect(viewOf(screen.received, threadId).permissions).toMatchObject([{ status: "denied" }]);
  expect((await post("/push/deny", question, token)).status).toBe(409);

  // No page of another site gets in with its token, wherever it knocks.
  const knock = (path: string, origin?: string) =>
    new WebSocket(`ws://127.0.0.1:${port}${path}`, ["signalbox.v1", `signalbox.token.${token}`], {
      ...(origin !== undefined && { origin }),
    }).on("error", () => {});
  const refusalOf = async (path: string, origin?: string) => {
    const [, answer] = (await once(knock(path, origin), "unexpected-response")) as [unknown, IncomingMessage];
    return answer.resume().statusCode;
  };
  const origins = [
    "null",
    "https://evil.example",
    "http://box.example.ts.net",
    "https://box.example.ts.net.evil.example",
  ];
  for (const path of ["/ws", "/acp", "/proxy"])
    for (const origin of origins) expect(await refusalOf(path, origin), `${path} ${origin}`).toBe(403);
  const open = ["/ws", "/acp", "/proxy"].map((path) => knock(path, "https://box.example.ts.net"));
  await Promise.all(open.map((socket) => once(socket, "open")));

  // Removed: its open connections end, and its token is worth nothing.
  const closed = Promise.all([
    phone.closed(),
    ...open.map((socket) => new Promise((resolve) => socket.once("close", resolve))),
  ]);
  await screen.request({ control: "devices.remove", device_id });
  await closed;
  for (const path of ["/ws", "/acp", "/proxy"]) expect(await refusalOf(path), path).toBe(401);
  await expect(TestScreen.connect({ ...host.process.ready, token })).rejects.toThrow();
  expect((await post("/push/deny", question, token)).status).toBe(401);

  // Wrong codes are counted.
  for (let tries = 0; tries < 6; tries++) await post("/pair", { code: "guess", name: "x" });
  expect((await post("/pair", { code: "guess", name: "x" })).status).toBe(429);
});
