// Settings that a command makes are put aside when it ends, however it makes them, and come back only as they were shown.
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import type { Enforcement } from "../enforcement/enforcement.ts";
import { provenEnforcement } from "../testing/proven-enforcement.ts";
import { SandboxedPlace } from "../testing/sandboxed-place.ts";
import { AsideStore } from "./aside-store.ts";
import { settleLeftovers, settleMadeSettings, watchMadeSettings } from "./made-settings.ts";

let enforcement: Enforcement;
beforeAll(async () => {
  enforcement = await provenEnforcement();
}, 60_000);

const isLinux = process.platform === "linux"; // elsewhere the profile closes missing paths

function openStore(place: SandboxedPlace): AsideStore {
  return new AsideStore(place.folder.at("data"));
}

function readWork(place: SandboxedPlace, path: string): string | undefined {
  const at = place.folder.at("work", path);
  return existsSync(at) ? readFileSync(at, "utf8") : undefined;
}

describe.runIf(isLinux)("a setting that a command makes", () => {
  it.each([
    ["by writing it", "mkdir .vscode; echo evil > .vscode/tasks.json", ".vscode/tasks.json"],
    ["by a rename", "mkdir .vscode; echo evil > x; mv x .vscode/tasks.json", ".vscode/tasks.json"],
    ["by the rename of a folder", "mkdir x; echo evil > x/tasks.json; mv x .vscode", ".vscode/tasks.json"],
    ["as a link", "echo evil > x; ln -s x .mcp.json", ".mcp.json"],
    ["as a link that leads nowhere yet", "ln -s /tmp/later .mcp.json", ".mcp.json"],
    ["behind a link", "mkdir x; echo evil > x/tasks.json; ln -s x .vscode", ".vscode"],
    ["behind a link that leads nowhere yet", "ln -s /tmp/later .vscode", ".vscode"],
    ["in place of a folder", "mv .claude x; echo evil > x/settings.json; ln -s x .claude", ".claude"],
    ["as a folder", "mkdir -p .opencode/plugin; echo evil > .opencode/plugin/one.js", ".opencode"],
    ["with a name of its choice", "echo evil > any.code-workspace", "any.code-workspace"],
    ["in a folder that it closes", "mkdir .zed; echo evil > .zed/tasks.json; chmod 0 .zed/tasks.json", ".zed"],
    ["of a version control that was not there", "mkdir .hg; echo evil > .hg/hgrc", ".hg/hgrc"],
  ])("%s is not there afterwards, and the result says so", async (_, command, path) => {
    using place = new SandboxedPlace({ "work/.claude/commands/one.md": "" });
    const { putAside, denials } = await place.run({ enforcement, command });
    expect(putAside).toMatchObject([{ path: place.folder.at("work", path) }]);
    expect(lstatSync(place.folder.at("work", path), { throwIfNoEntry: false })).toBe(undefined);
    expect(denials.map(({ message }) => message)).toEqual([expect.stringContaining("programs outside would obey it")]);
  });

  it("with a name that is not text stays under one that nothing obeys", async () => {
    using place = new SandboxedPlace();
    const { putAside } = await place.run({ enforcement, command: "echo evil > $'\\xff.code-workspace'" });
    expect(putAside).toMatchObject([{ type: "renamed" }]);
    expect(readdirSync(place.folder.at("work"))).toEqual([expect.stringMatching(/\.put-aside-\w{8}$/)]);
  });

  it("comes back exactly as it was shown", async () => {
    using place = new SandboxedPlace();
    const command =
      "mkdir -p .opencode/plugin; echo one > .opencode/plugin/one.js; ln -s plugin .opencode/other; chmod 755 .opencode/plugin/one.js";
    await place.run({ enforcement, command });
    expect(readdirSync(place.folder.at("work"))).toEqual([]);
    const store = openStore(place);
    const [record] = store.list();
    if (record === undefined) throw new Error("nothing was stored");
    expect(store.keep(record.id, record.digest)).toMatchObject({ type: "kept" });
    expect(readWork(place, ".opencode/other/one.js")).toBe("one\n");
    expect(lstatSync(place.folder.at("work/.opencode/plugin/one.js")).mode & 0o777).toBe(0o755);
    expect(store.list()).toEqual([]);
  });

  it("is not kept with the digest of something else, nor after the stored content changed", async () => {
    using place = new SandboxedPlace();
    await place.run({ enforcement, command: "echo one > .mcp.json; echo two > opencode.json" });
    const store = openStore(place);
    const [one, two] = store.list();
    if (one === undefined || two === undefined) throw new Error("nothing was stored");
    expect(store.keep(one.id, two.digest)).toMatchObject({ type: "refused" });
    writeFileSync(place.folder.at("data/put-aside", one.id, "0"), "evil");
    expect(store.keep(one.id, one.digest)).toMatchObject({ type: "refused" });
    expect(readdirSync(place.folder.at("work"))).toEqual([]);
  });

  it("is not kept over another one, nor through a link that was made since", async () => {
    using place = new SandboxedPlace();
    await place.run({ enforcement, command: "mkdir .vscode; echo one > .vscode/tasks.json; echo one > .mcp.json" });
    await place.run({ enforcement, command: `rmdir .vscode; echo two > mcp` });
    symlinkSync(place.folder.at("outside"), place.folder.at("work/.vscode"));
    writeFileSync(place.folder.at("work/.mcp.json"), "mine");
    const store = openStore(place);
    const keep = (path: string) => {
      const record = store.list().find((each) => each.path === path);
      return () => record && store.keep(record.id, record.digest);
    };
    expect(keep(".mcp.json")()).toMatchObject({ type: "refused" });
    expect(keep(".vscode/tasks.json")).toThrow();
    expect(readWork(place, ".mcp.json")).toBe("mine");
    expect(readdirSync(place.folder.at("outside"))).toEqual([]);
  });

  it("stays when it is made again with a content that was kept before, and no other", async () => {
    using place = new SandboxedPlace();
    await place.run({ enforcement, command: "echo one > .mcp.json" });
    const store = openStore(place);
    for (const { id, digest } of store.list()) store.keep(id, digest);
    await place.run({ enforcement, command: "true" });
    expect(readWork(place, ".mcp.json")).toBe("one\n");
    rmSync(place.folder.at("work/.mcp.json"));
    await place.run({ enforcement, command: "echo one > .mcp.json" });
    expect(readWork(place, ".mcp.json")).toBe("one\n");
    rmSync(place.folder.at("work/.mcp.json"));
    await place.run({ enforcement, command: "echo two > .mcp.json" });
    expect(readWork(place, ".mcp.json")).toBe(undefined);
  });

  it("is put aside while its command still runs, when the turn ends", async () => {
    using place = new SandboxedPlace();
    const { promise: made, resolve } = Promise.withResolvers<void>();
    const stop = new AbortController();
    const command = "echo evil > .mcp.json; echo made; exec sleep 600";
    const running = place.run({ enforcement, command, signal: stop.signal, onOutput: () => resolve() });
    await made;
    expect(settleMadeSettings(place.folder.at("work"))).toMatchObject([{ type: "stored" }]);
    expect(readWork(place, ".mcp.json")).toBe(undefined);
    stop.abort();
    await running;
  });

  it("is put aside also when a second command began while it was there", async () => {
    using place = new SandboxedPlace();
    const stop = new AbortController();
    const { promise: made, resolve } = Promise.withResolvers<void>();
    const command = "echo evil > .mcp.json; echo made; exec sleep 600";
    const first = place.run({ enforcement, command, signal: stop.signal, onOutput: () => resolve() });
    await made;
    const { putAside } = await place.run({ enforcement, command: "true" });
    expect(putAside).toMatchObject([{ type: "stored" }]);
    expect(readWork(place, ".mcp.json")).toBe(undefined);
    stop.abort();
    await first;
  });

  it("is put aside at the next start where the process that ran the command was killed", async () => {
    using place = new SandboxedPlace();
    const settings = {
      mode: "sandbox",
      network: "off",
      workspaceFolders: [place.folder.at("work")],
      dataFolder: place.folder.at("data"),
      homeFolder: place.folder.at("home"),
      tempFolder: place.folder.at("temp"),
    };
    const command = "echo evil > .mcp.json; echo made; exec sleep 600";
    const options = JSON.stringify({ enforcement, cwd: place.folder.at("work"), command });
    const script = `import { createPolicy, runCommand } from ${JSON.stringify(join(import.meta.dirname, "../index.ts"))};
      const policy = createPolicy(${JSON.stringify(settings)});
      await runCommand({ ...${options}, policy, onOutput: (text) => process.stdout.write(text) })`;
    const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(child.stdout, "data");
    child.kill("SIGKILL");
    await once(child, "exit");
    expect(readWork(place, ".mcp.json")).toBe("evil\n");
    expect(settleLeftovers(place.folder.at("data"))).toMatchObject([{ type: "stored" }]);
    expect(readWork(place, ".mcp.json")).toBe(undefined);
    expect(settleLeftovers(place.folder.at("data"))).toEqual([]);
  });

  it("that is too big to be stored stays under a name that nothing obeys", async () => {
    using place = new SandboxedPlace();
    const { putAside } = await place.run({ enforcement, command: "head -c 9000000 /dev/zero > .mcp.json" });
    expect(putAside).toMatchObject([{ type: "renamed", to: expect.stringMatching(/\.mcp\.json\.put-aside-\w{8}$/) }]);
    expect(readWork(place, ".mcp.json")).toBe(undefined);
  });

  it.each([
    ["is nested deeply", "d/".repeat(600), 1],
    ["is nested deeply, and empty", "d/".repeat(600), 0],
    ["has many files", "", 300],
  ])("stays so too if it %s: reading it would take long", (_, inner, files) => {
    using place = new SandboxedPlace();
    const made = watchMadeSettings(place.policy());
    const folder = place.folder.at("work/.opencode", inner);
    mkdirSync(folder, { recursive: true });
    for (let file = 0; file < files; file++) writeFileSync(join(folder, `${file}.js`), "evil");
    expect(made.close()).toMatchObject([{ type: "renamed", to: expect.stringContaining(".opencode.put-aside-") }]);
    expect(existsSync(place.folder.at("work/.opencode"))).toBe(false);
  });
});

describe.runIf(isLinux)("left as they are", () => {
  it("are a setting that was there, its folder, and a link of the person", async () => {
    using place = new SandboxedPlace({
      "work/.mcp.json": "mine",
      "work/shared/commands/one.md": "",
      "work/.claude": { link: "shared" },
    });
    const { putAside } = await place.run({
      enforcement,
      command: "mkdir .vscode .idea; echo {} > .vscode/launch.json",
    });
    expect(putAside).toEqual([]);
    expect(readWork(place, ".mcp.json")).toBe("mine");
    expect(readWork(place, ".vscode/launch.json")).toBe("{}\n");
    expect(lstatSync(place.folder.at("work/.claude")).isSymbolicLink()).toBe(true);
  });

  it("is the person's link, when a command makes a setting behind it: the setting is put aside", async () => {
    using place = new SandboxedPlace();
    const policy = place.policy();
    mkdirSync(place.folder.at("work/shared"));
    symlinkSync("shared", place.folder.at("work/.claude"));
    const { putAside } = await place.run({ enforcement, policy, command: "echo evil > shared/settings.json" });
    expect(putAside).toMatchObject([{ path: place.folder.at("work/shared/settings.json") }]);
    expect(lstatSync(place.folder.at("work/.claude")).isSymbolicLink()).toBe(true);
  });

  it("is what a person makes between two commands", async () => {
    using place = new SandboxedPlace();
    await place.run({ enforcement, command: "true" });
    writeFileSync(join(place.folder.at("work"), ".mcp.json"), "mine");
    await place.run({ enforcement, command: "true" });
    expect(readWork(place, ".mcp.json")).toBe("mine");
  });

  it("is what a command made that a person let run outside", async () => {
    using place = new SandboxedPlace();
    await place.run({ enforcement: { kind: "off", helper: undefined }, command: "echo mine > .mcp.json" });
    expect(readWork(place, ".mcp.json")).toBe("mine\n");
  });
});
