import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { changed, editConfigFile } from "./edit-config.ts";

describe("a change of config.json", () => {
  it.each([
    ["{}\n", ["provider"], "ollama", '{\n  "provider": "ollama"\n}\n'],
    [
      '{\n\t"limits": { "max_turns": 7 },\n\t"provider":   "openai"\n}',
      ["limits", "budget_usd"],
      5,
      '{\n\t"limits": {\n\t\t"max_turns": 7,\n\t\t"budget_usd": 5\n\t},\n\t"provider":   "openai"\n}',
    ],
    ['{\n  "provider": "a",\n  "agent_idle_s": 5\n}\n', ["provider"], undefined, '{\n  "agent_idle_s": 5\n}\n'],
    ['{"sandbox": {"network": true}}', ["sandbox", "network"], false, '{"sandbox": {"network": false}}'],
  ] as const)("leaves the rest as it was written: %j", (text, path, value, expected) => {
    expect(changed(text, { path, value })).toBe(expected);
  });
});

describe("the file", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "signalbox-edit-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const file = () => join(folder, "config.json");

  it("is made when it is missing, for the user alone, and a link stays a link", () => {
    editConfigFile(file(), [{ path: ["provider"], value: "ollama" }]);
    expect(JSON.parse(readFileSync(file(), "utf8"))).toEqual({ provider: "ollama" });
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    const link = join(folder, "link.json");
    symlinkSync("config.json", link);
    editConfigFile(link, [{ path: ["provider"], value: "demo" }]);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(readFileSync(file(), "utf8")).toContain("demo");
    expect(readdirSync(folder).toSorted()).toEqual(["config.json", "link.json"]);
  });

  it.each([
    ["{ not json", [{ path: ["provider"], value: "x" }], "is not JSON"],
    ["{}", [{ path: ["provder"], value: "x" }], 'Did you mean "provider"?'],
    [
      "{}",
      [
        { path: ["provider"], value: "x" },
        { path: ["sandbox", "mode"], value: "free" },
      ],
      '"sandbox.mode" is wrong',
    ],
    ["{}", [{ path: ["editor"], value: "x".repeat(1_000_000) }], "would have more than 1000000 bytes"],
  ] as const)("is not touched when it is wrong or would be: %s", (text, changes, message) => {
    writeFileSync(file(), text);
    expect(() => editConfigFile(file(), changes)).toThrow(message);
    expect(readFileSync(file(), "utf8")).toBe(text);
  });
});
