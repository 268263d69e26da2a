import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { installCommand, loadSdk, sdkPackage, sdkVersion } from "./load-sdk.ts";

let home: string;
let env: NodeJS.ProcessEnv;

beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "signalbox-claude-"));
  env = { SIGNALBOX_HOME: join(home, "data") };
});

afterEach(() => rmSync(home, { recursive: true }));

const hashOf = (source: string) => createHash("sha256").update(source).digest("hex");

/** Returns the path of Claude Code's program there. */
function install(folder: string, source: string): string {
  const modules = join(folder, "node_modules");
  const program = join(modules, `${sdkPackage}-${process.platform}-${process.arch}`, "claude");
  for (const each of [join(modules, sdkPackage), dirname(program)]) mkdirSync(each, { recursive: true });
  const manifest = { name: sdkPackage, type: "module", exports: { ".": "./sdk.mjs" } };
  writeFileSync(join(modules, sdkPackage, "package.json"), JSON.stringify(manifest));
  writeFileSync(join(modules, sdkPackage, "sdk.mjs"), source);
  writeFileSync(program, "");
  return program;
}

describe("the SDK", () => {
  it("is not there at first, and the error has the command that installs it", async () => {
    expect(installCommand(env)).toBe(`npm install --prefix ${home}/data/claude ${sdkPackage}@${sdkVersion}`);
    await expect(loadSdk(env)).rejects.toMatchObject({
      code: "sdk_missing",
      message: expect.stringContaining(installCommand(env)) as string,
    });
  });

  it("is loaded from where that command puts it, with the program beside it", async () => {
    const source = "export const query = () => 'told';";
    const program = install(join(home, "data/claude"), source);
    const loaded = await loadSdk(env, hashOf(source));
    expect(loaded.program).toBe(program);
    expect(loaded.sdk.query({ prompt: (async function* () {})() })).toBe("told");
  });

  it("is taken from no folder above, where a command may have put one", async () => {
    const planted = "globalThis.planted = true; export const query = () => {};";
    install(home, planted);
    install(join(home, "data"), planted);
    await expect(loadSdk(env, hashOf(planted))).rejects.toMatchObject({ code: "sdk_missing" });
    expect(globalThis).not.toHaveProperty("planted");
  });

  it("is not loaded when its file is another than was published", async () => {
    install(join(home, "data/claude"), "globalThis.planted = true; export const query = () => {};");
    await expect(loadSdk(env)).rejects.toThrow(/is not version .* as it was published.*npm install/);
    expect(globalThis).not.toHaveProperty("planted");
  });

  it("that is broken is to be installed again", async () => {
    const source = "throw new Error('half a file');";
    install(join(home, "data/claude"), source);
    await expect(loadSdk(env, hashOf(source))).rejects.toThrow(/half a file.*npm install/);
  });
});
