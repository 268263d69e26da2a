// Set-up runs a downloaded Node only if it is the package whose SHA-512 stands in the script.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { chmodSync, cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { root, TemporaryFolder } from "../support/host-process.ts";
import { rounds } from "../support/rounds.ts";

const run = promisify(execFile);
const script = readFileSync(`${root}/scripts/setup/node-24.mjs`, "utf8");
const pinned = pinnedPackage();

describe("set-up with a registry that serves another Node", () => {
  const answers: [string, (tarball: Buffer) => object][] = [
    ["says its true hash", (tarball) => ({ integrity: sha512(tarball) })],
    ["says the pinned hash", () => ({ integrity: pinned.integrity })],
    ["says no hash", () => ({})],
  ];

  it.each(answers.slice(0, rounds({ some: 2, all: answers.length })))(
    "refuses it and does not run it when the registry %s",
    async (_, dist) => {
      using folder = new TemporaryFolder();
      const tarball = await otherNode(folder);
      const outcome = await download(folder, tarball, dist(tarball));
      expect(outcome.stderr).toContain(
        "the package registry served a package whose SHA-512 is not the one pinned here",
      );
      expect(outcome.stderr).not.toContain("    at ");
      expect(existsSync(folder.in("it-ran"))).toBe(false);
    },
  );

  it("runs a package that has the pinned hash", async () => {
    using folder = new TemporaryFolder();
    const tarball = await otherNode(folder);
    const outcome = await download(folder, tarball, { integrity: sha512(tarball) }, sha512(tarball));
    expect(outcome.stdout.trim()).toMatch(/bin\/node$/);
    expect(existsSync(folder.in("it-ran"))).toBe(true);
  });
});

/** A package with the pinned name and version whose `node` leaves a mark. */
async function otherNode(folder: TemporaryFolder): Promise<Buffer> {
  mkdirSync(folder.in("package/bin"), { recursive: true });
  writeFileSync(folder.in("package/package.json"), JSON.stringify({ name: pinned.name, version: pinned.version }));
  writeFileSync(folder.in("package/bin/node"), `#!/bin/sh\ntouch ${folder.in("it-ran")}\necho v${pinned.version}\n`);
  chmodSync(folder.in("package/bin/node"), 0o755);
  await run("tar", ["-czf", folder.in("package.tgz"), "-C", folder.path, "package"]);
  return readFileSync(folder.in("package.tgz"));
}

/** Runs the download of a copy of set-up against a registry on this machine that has only this package. */
async function download(folder: TemporaryFolder, tarball: Buffer, dist: object, integrity = pinned.integrity) {
  cpSync(`${root}/scripts`, folder.in("scripts"), { recursive: true });
  writeFileSync(folder.in("scripts/setup/node-24.mjs"), script.replace(pinned.integrity, integrity));
  const server = createServer((request, response) => {
    if (request.url?.endsWith(".tgz")) return void response.end(tarball);
    const { name, version } = pinned;
    const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/package.tgz`;
    const packument = {
      name,
      "dist-tags": { latest: version },
      versions: { [version]: { name, version, dist: { ...dist, tarball: address } } },
    };
    response.setHeader("content-type", "application/json").end(JSON.stringify(packument));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const env = {
      ...process.env,
      npm_config_registry: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
      npm_config_cache: folder.in("cache"),
      npm_config_fetch_retries: "0",
    };
    const code = `
      import { downloadNode } from "${folder.in("scripts/setup/node-24.mjs")}";
      import { orExplain } from "${folder.in("scripts/setup/set-up.mjs")}";
      console.log(await orExplain(downloadNode));`;
    return await run(process.execPath, ["--input-type=module", "-e", code], { env }).catch(
      (error: { stdout: string; stderr: string }) => error,
    );
  } finally {
    server.close();
  }
}

function sha512(bytes: Buffer): string {
  return `sha512-${createHash("sha512").update(bytes).digest("base64")}`;
}

/** What the script pins for this platform, read as text: `name`, `version` and `integrity` stand in this order. */
function pinnedPackage(): { readonly name: string; readonly version: string; readonly integrity: string } {
  const entry = script.slice(script.indexOf(`"${process.platform}-${process.arch}": {`));
  const field = (key: string) => new RegExp(`${key}: "([^"]+)"`).exec(entry)?.[1] ?? "";
  return { name: field("name"), version: field("version"), integrity: field("integrity") };
}
