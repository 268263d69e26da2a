// A client that we did not write: acpx, from npm, starts our agent as it starts any other.
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { program, root, TemporaryFolder } from "../support/host-process.ts";

const run = promisify(execFile);

async function acpx(folder: TemporaryFolder, words: readonly string[]): Promise<string> {
  const agent = `${process.execPath} ${program} agent --provider demo`;
  const args = [join(root, "node_modules/acpx/dist/cli.js"), "--cwd", folder.path, "--agent", agent, ...words];
  const env = { ...process.env, HOME: folder.in("home"), SIGNALBOX_HOME: folder.in("home/signalbox") };
  // A denied permission is an exit code of its own there.
  const { stdout } = await run(process.execPath, args, { env, timeout: 25_000 }).catch(
    (error: { stdout: string }) => error,
  );
  return stdout;
}

describe("acpx", () => {
  it("runs a prompt with tools, permissions and its own files, to the end", async () => {
    using folder = new TemporaryFolder();
    writeFileSync(folder.in("a.txt"), "alpha\n");
    const out = await acpx(folder, ["--approve-all", "exec", "read a.txt\nedit a.txt: alpha -> omega\nrun cat a.txt"]);
    expect(out).toContain("I am the **demo**");
    expect(out).toContain("[done] end_turn");
    expect(readFileSync(folder.in("a.txt"), "utf8")).toBe("omega\n");
  });

  it("may say no, and nothing happens; it sees only the protocol on stdout", async () => {
    using folder = new TemporaryFolder();
    const out = await acpx(folder, ["--deny-all", "--format", "json", "--json-strict", "exec", "write made: x"]);
    const messages = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { jsonrpc?: string; result?: { stopReason?: string } });
    expect(messages.every(({ jsonrpc }) => jsonrpc === "2.0")).toBe(true);
    expect(messages.some(({ result }) => result?.stopReason === "end_turn")).toBe(true);
    expect(() => readFileSync(folder.in("made"))).toThrow();
  });
});
