// A client that we did not write: acpx, from npm, starts our agent as it starts any other.
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { program, root, TemporaryFolder } from "../support/host-process.ts";
import { isLong } from "../support/rounds.ts";

const run = promisify(execFile);

/** What came of it: every line of the agent's stdout must be of the protocol. */
async function acpx(folder: TemporaryFolder, ...words: readonly string[]): Promise<string> {
  const agent = `${process.execPath} ${program} agent --provider demo`;
  const args = [join(root, "node_modules/acpx/dist/cli.js"), "--cwd", folder.path, "--agent", agent];
  args.push("--format", "json", "--json-strict", ...words);
  const env = { ...process.env, HOME: folder.in("home"), SIGNALBOX_HOME: folder.in("home/signalbox") };
  // A denied permission is an exit code of its own there.
  const { stdout } = await run(process.execPath, args, { env, timeout: 25_000 }).catch(
    (error: { stdout: string }) => error,
  );
  const messages = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as { jsonrpc?: string; result?: { stopReason?: string } });
  expect(messages.every(({ jsonrpc }) => jsonrpc === "2.0")).toBe(true);
  expect(messages.some(({ result }) => result?.stopReason === "end_turn")).toBe(true);
  return stdout;
}

describe("acpx", () => {
  it("runs a prompt with tools, permissions and its own files, to the end, and sees only the protocol on stdout", async () => {
    using folder = new TemporaryFolder();
    writeFileSync(folder.in("a.txt"), "alpha\n");
    const out = await acpx(folder, "--approve-all", "exec", "read a.txt\nedit a.txt: alpha -> omega\nrun cat a.txt");
    expect(out).toContain("demo");
    expect(readFileSync(folder.in("a.txt"), "utf8")).toBe("omega\n");
  });

  // Each of its runs costs a second of processor time.
  if (isLong)
    it("may say no, and nothing happens", async () => {
      using folder = new TemporaryFolder();
      await acpx(folder, "--deny-all", "exec", "write made: x");
      expect(() => readFileSync(folder.in("made"))).toThrow();
    });
});
