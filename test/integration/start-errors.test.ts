// Tests a host that cannot start: one clear sentence, an exit code that is not 0, no damage.
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { HostProcess, runProgram, TemporaryFolder } from "../support/host-process.ts";

const serve = (dataFolder: string, ...flags: string[]) =>
  runProgram(["serve", "--no-open", "--data-dir", dataFolder, ...flags]);

describe("a host that cannot start says why", () => {
  it("port taken: names the holder and the next free port", async () => {
    using folder = new TemporaryFolder();
    const holder = createServer().listen(0, "127.0.0.1");
    await once(holder, "listening");
    const { port } = holder.address() as AddressInfo;
    const { code, stderr, stdout } = await serve(folder.in("data"), "--port", String(port));
    holder.close();
    expect(stderr).toMatch(
      new RegExp(`^Port ${port} is taken by process ${process.pid} .*Port \\d+ is free: start with --port \\d+\\.\n$`),
    );
    expect(stdout).toBe("");
    expect(code).toBe(1);
  });

  it("data folder is a file, or lies below one", async () => {
    using folder = new TemporaryFolder();
    writeFileSync(folder.in("file"), "mine");
    for (const path of [folder.in("file"), folder.in("file/below")]) {
      const { code, stderr } = await serve(path, "--port", "0");
      expect(stderr).toMatch(/^The data folder .* cannot be used: a part of that path is a file, not a folder\.\n$/);
      expect(code).toBe(1);
    }
    expect(readFileSync(folder.in("file"), "utf8")).toBe("mine");
  });

  it("data folder not writable", async () => {
    // /proc takes no folders from anybody, root included.
    const { code, stderr } = await serve("/proc/signalbox", "--port", "0");
    expect(stderr).toMatch(/^The data folder \/proc\/signalbox cannot be used: it is not writable for you\. .*\n$/);
    expect(code).toBe(1);
  });

  it("a second host on the same data folder: names the first, which goes on", async () => {
    using folder = new TemporaryFolder();
    await using first = await HostProcess.start(folder.in("data"));
    const { code, stderr } = await serve(folder.in("data"), "--port", "0");
    expect(stderr).toContain(String(first.ready.pid));
    expect(stderr).toContain(first.ready.url);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(code).toBe(75);
    expect((await fetch(`http://127.0.0.1:${first.ready.port}/health`)).status).toBe(200);
  });

  it("a database from a newer version, and a file that is no database: refused and untouched", async () => {
    using folder = new TemporaryFolder();
    mkdirSync(folder.in("newer"), { mode: 0o700 });
    const database = new DatabaseSync(folder.in("newer/signalbox.db"));
    database.exec("PRAGMA user_version = 100000; CREATE TABLE future (x)");
    database.close();
    mkdirSync(folder.in("junk"), { mode: 0o700 });
    writeFileSync(folder.in("junk/signalbox.db"), "this is not a database, it is a letter".repeat(50));
    for (const name of ["newer", "junk"]) {
      const before = readFileSync(folder.in(`${name}/signalbox.db`));
      const { code, stderr } = await serve(folder.in(name), "--port", "0");
      expect(stderr).toContain(folder.in(`${name}/signalbox.db`));
      expect(stderr.trim().split("\n")).toHaveLength(1);
      expect(code).toBe(1);
      expect(readFileSync(folder.in(`${name}/signalbox.db`)).equals(before)).toBe(true);
    }
  });

  it("a folder in the place of the register, or of its lock: named", async () => {
    using folder = new TemporaryFolder();
    for (const [name, text] of [
      ["signalbox.db", "is not a Signalbox register"],
      ["signalbox.db.lock", "is a folder; the lock has to be a file"],
    ] as const) {
      mkdirSync(folder.in(`of-${name}/${name}`), { recursive: true });
      const { code, stderr } = await serve(folder.in(`of-${name}`), "--port", "0");
      expect([stderr, code]).toEqual([expect.stringContaining(`${folder.in(`of-${name}/${name}`)} ${text}`), 1]);
    }
  });

  it("an address that is not this machine's", async () => {
    using folder = new TemporaryFolder();
    const { code, stderr } = await serve(folder.in("data"), "--port", "0", "--host", "192.0.2.1");
    expect(stderr).toBe("This machine has no address 192.0.2.1. Choose another with --host.\n");
    expect(code).toBe(1);
  });
});

describe("the command line", () => {
  it.each([
    [["--prot", "1"], "There is no flag --prot. Did you mean --port?\n"],
    [["srve"], "There is no command srve. Did you mean serve? `signalbox --help` lists them.\n"],
    [
      ["agent", "--provider", "unknown"],
      '--provider is one of anthropic, openai, gemini, openrouter, ollama, azure, bedrock, vertex, demo, lmstudio, vllm, llamacpp; "unknown" is not.\n',
    ],
  ])("%j is bad usage", async (args, message) => {
    expect(await runProgram(args)).toEqual({ code: 64, stdout: "", stderr: message });
  });

  it("has help for all and for each, and a version", async () => {
    expect((await runProgram(["--help"])).stdout).toContain("serve");
    expect((await runProgram(["serve", "--help"])).stdout).toContain("--data-dir DIR");
    expect((await runProgram(["--version"])).stdout).toMatch(/^signalbox \d+\.\d+\.\d+\n$/);
  });
});
