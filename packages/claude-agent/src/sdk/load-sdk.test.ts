import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findSdk, installCommand, loadSdk, sdkPackage, sdkVersion } from "./load-sdk.ts";

let home: string;
let env: NodeJS.ProcessEnv;
/** A place without node_modules above it. */
let here: string;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "signalbox-claude-"));
  env = { SIGNALBOX_HOME: home };
  here = join(home, "elsewhere/index.js");
});

afterEach(() => rmSync(home, { recursive: true }));

function install(folder: string, source: string): string {
  const target = join(folder, "node_modules", sdkPackage);
  mkdirSync(target, { recursive: true });
  const manifest = { name: sdkPackage, version: "9.9.9", type: "module", exports: { ".": "./sdk.mjs" } };
  writeFileSync(join(target, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(target, "sdk.mjs"), source);
  return target;
}

describe("the SDK", () => {
  it("is not there at first, and the error has the command that installs it", async () => {
    expect(findSdk(env, here)).toBeNull();
    expect(installCommand(env)).toBe(`npm install --prefix ${home}/claude ${sdkPackage}@${sdkVersion}`);
    await expect(loadSdk(env, here)).rejects.toMatchObject({
      code: "sdk_missing",
      message: expect.stringContaining(installCommand(env)) as string,
    });
  });

  it("is found where that command puts it, and beside the program", async () => {
    const folder = install(join(home, "claude"), "export const query = () => 'told';");
    const loaded = await loadSdk(env, here);
    expect(loaded).toMatchObject({ version: "9.9.9", folder });
    expect(loaded.sdk.query({ prompt: (async function* () {})() })).toBe("told");
    const beside = install(join(home, "elsewhere"), "");
    expect(findSdk(env, here)).toBe(join(beside, "sdk.mjs"));
  });

  it("that is broken is to be installed again", async () => {
    install(join(home, "claude"), "throw new Error('half a file');");
    await expect(loadSdk(env, here)).rejects.toThrow(/half a file.*npm install/);
  });
});
