import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type InstallOptions, installAgent } from "./install-agent.ts";
import { describeInstallCommand, describeWarning, readPackageName } from "./install-plan.ts";

let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "signalbox-install-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const target = () => join(folder, "agents/one");
const options = (more: Partial<InstallOptions> = {}): InstallOptions => ({
  folder: target(),
  secrets: [],
  signal: new AbortController().signal,
  onOutput: () => {},
  onBytes: () => {},
  ...more,
});

/** An archive with a program, and what else is put into its folder. */
function archive(prepare: (files: string) => void = () => {}): Buffer {
  const files = join(folder, "files");
  mkdirSync(files);
  writeFileSync(join(files, "agent"), "#!/bin/sh\necho one\n");
  prepare(files);
  execFileSync("tar", ["-czf", join(folder, "one.tar.gz"), "-C", files, "."]);
  return readFileSync(join(folder, "one.tar.gz"));
}

/** Serves the bytes while the work runs. */
async function served<T>(bytes: Buffer, work: (url: string) => Promise<T>): Promise<T> {
  const server = createServer((_request, response) => response.end(bytes));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    return await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}/one.tar.gz`);
  } finally {
    server.close();
  }
}
const sha256 = (bytes: Buffer) => createHash("sha256").update(bytes).digest("hex");

describe("an agent from an archive", () => {
  it("is there whole when its checksum is right, with its bytes counted", async () => {
    // As root, tar would keep both.
    const bytes = archive((files) => {
      writeFileSync(join(files, "other"), "");
      if (process.getuid?.() === 0) chownSync(join(files, "other"), 12_345, 12_345);
      chmodSync(join(files, "other"), 0o4755);
    });
    const counted: number[] = [];
    await served(bytes, (url) =>
      installAgent(
        { type: "archive", url, sha256: sha256(bytes).toUpperCase(), program: "./agent" },
        options({ onBytes: (done) => counted.push(done) }),
      ),
    );
    expect(execFileSync(join(target(), "program"), { encoding: "utf8" })).toBe("one\n");
    expect(statSync(join(target(), "files/other"))).toMatchObject({ uid: process.getuid?.(), mode: 0o100755 });
    expect(counted.at(-1)).toBe(bytes.length);
    expect(readdirSync(join(folder, "agents"))).toEqual(["one"]);
  });

  it.each([
    ["another checksum", () => {}, "0".repeat(64), "./agent", "not 0000"],
    ["no such program", () => {}, undefined, "./other", "has no program other"],
    ["a program outside", () => {}, undefined, "../../../one.tar.gz", "is outside of what was downloaded"],
    [
      "a link to the outside",
      (files: string) => symlinkSync("/bin/sh", join(files, "sh")),
      undefined,
      "sh",
      "is outside",
    ],
  ] as const)("is not there with %s, and the one before stays", async (_what, prepare, sum, program, message) => {
    mkdirSync(target(), { recursive: true });
    writeFileSync(join(target(), "kept"), "");
    const plan = { type: "archive", program, ...(sum === undefined ? {} : { sha256: sum }) } as const;
    const bytes = archive(prepare);
    await expect(served(bytes, (url) => installAgent({ ...plan, url }, options()))).rejects.toThrow(message);
    expect(readdirSync(join(folder, "agents"))).toEqual(["one"]);
    expect(existsSync(join(target(), "kept"))).toBe(true);
  });

  it("is not there when its archive unpacks to more than an agent can have", async () => {
    const bytes = archive((files) => writeFileSync(join(files, "zeros"), Buffer.alloc(16 * 1024 ** 2)));
    expect(bytes.length).toBeLessThan(100_000);
    const plan = { type: "archive", program: "./agent" } as const;
    const work = served(bytes, (url) => installAgent({ ...plan, url }, options({ maxUnpackedBytes: 1024 ** 2 })));
    await expect(work).rejects.toThrow(/unpacks to more than 1 MB/);
    expect(readdirSync(join(folder, "agents"))).toEqual([]);
  });

  it("leaves nothing when it is cancelled", async () => {
    const controller = new AbortController();
    const work = served(archive(), (url) =>
      installAgent(
        { type: "archive", url, program: "./agent" },
        options({ signal: controller.signal, onBytes: () => controller.abort() }),
      ),
    );
    await expect(work).rejects.toThrow(/abort/i);
    expect(readdirSync(join(folder, "agents"))).toEqual([]);
  });
});

it("names its command and what to know before", () => {
  const plan = { type: "npm", packages: ["@a/b@1.2.3"], runsScripts: false } as const;
  expect(describeInstallCommand(plan, "/x")).toBe("npm install --prefix /x --ignore-scripts --save-exact @a/b@1.2.3");
  expect(describeWarning(plan)).toBeNull();
  expect(describeInstallCommand({ ...plan, runsScripts: true }, "/x")).toBe(
    "npm install --prefix /x --ignore-scripts=false --save-exact @a/b@1.2.3",
  );
  expect(describeWarning({ ...plan, runsScripts: true })).toContain("runs a program of its own");
  expect(["@a/b@1.2.3", "c@1", "@a/b"].map(readPackageName)).toEqual(["@a/b", "c", "@a/b"]);
});
