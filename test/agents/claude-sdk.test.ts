// Our words for the Claude Agent SDK against the real package, and its version in the two places that name it.
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { sdkHash, sdkPackage, sdkVersion } from "@signalbox/claude-agent";
import { beforeAll, describe, expect, it } from "vitest";
import { listOwnAgents } from "../../packages/host/src/agents/known-agents.ts";
import { root } from "../support/host-process.ts";
import { installClaudeSdk } from "./claude-home.ts";

let modules = "";

beforeAll(async () => {
  modules = await installClaudeSdk();
});

/** What tsc says about a file that imports the real package. */
async function typeErrors(lines: readonly string[]): Promise<string> {
  const name = `check-${process.pid}`;
  const file = join(modules, "..", `${name}.mts`);
  const config = join(modules, "..", `${name}.json`);
  const compilerOptions = { types: ["node"], typeRoots: [join(root, "node_modules/@types")] };
  writeFileSync(file, lines.join("\n"));
  writeFileSync(config, JSON.stringify({ extends: join(root, "tsconfig.base.json"), compilerOptions, files: [file] }));
  try {
    await promisify(execFile)(join(root, "node_modules/.bin/tsc"), ["-p", config]);
    return "";
  } catch (error) {
    return String((error as { stdout?: string }).stdout);
  } finally {
    rmSync(file);
    rmSync(config);
  }
}

const imports = [
  'import type * as real from "@anthropic-ai/claude-agent-sdk";',
  `import type { ClaudeSdk } from "${root}/packages/claude-agent/src/sdk/sdk.ts";`,
  "declare const sdk: typeof real;",
];

describe("the Claude Agent SDK", () => {
  it("has everything that we use of it, as we use it", async () => {
    expect(await typeErrors([...imports, "export const used: ClaudeSdk = sdk;"])).toBe("");
    // The check would notice: the types are really those of the package.
    expect(await typeErrors([...imports, "export const used: (text: number) => void = sdk.query;"])).toContain(
      "TS2322",
    );
  });

  it("has the file whose hash is compared before it is loaded", () => {
    const file = readFileSync(join(modules, sdkPackage, "sdk.mjs"));
    expect(createHash("sha256").update(file).digest("hex")).toBe(sdkHash);
  });

  it("is named in one version", () => {
    const row = listOwnAgents({ command: "node", args: [], version: "0" }, "/data", {
      provider: undefined,
      providers: {},
    }).find(({ id }) => id === "claude");
    expect(row?.install).toMatch(new RegExp(`@anthropic-ai/claude-agent-sdk@${sdkVersion}$`));
  });
});
