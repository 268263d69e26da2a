import { expect, it } from "vitest";
import type { ClientTerminal } from "../client/client-terminals.ts";
import { endingLine } from "./command.ts";
import { Jobs } from "./jobs.ts";
import { terminalCommands } from "./terminal-commands.ts";

class FakeTerminal implements ClientTerminal {
  readonly id = "t";
  readonly calls: string[] = [];
  readonly exit = Promise.withResolvers<{ exitCode?: number }>();
  output = async () => ({ output: "printed", truncated: false });
  waitForExit = () => this.exit.promise;
  kill = async () => void this.calls.push("kill");
  release = async () => void this.calls.push("release");
}

const request = { command: "make", cwd: "/", network: false };

it("releases a terminal that comes after the command was cancelled", async () => {
  const creating = Promise.withResolvers<ClientTerminal>();
  const stop = new AbortController();
  const starting = terminalCommands({ create: () => creating.promise })({ ...request, signal: stop.signal });
  stop.abort(new Error("not wanted"));
  await expect(starting).rejects.toThrow("not wanted");
  const terminal = new FakeTerminal();
  creating.resolve(terminal);
  await expect.poll(() => terminal.calls).toEqual(["release"]);
});

it("ends without a rejection when the client does not tell how the command ended", async () => {
  const terminal = new FakeTerminal();
  const start = terminalCommands({ create: async () => terminal });
  const { ended } = await start({ ...request, signal: new AbortController().signal });
  terminal.exit.reject(new Error("connection closed"));
  const { ending, output } = await ended;
  expect([endingLine(ending), output]).toEqual(["Ended; the client did not tell how: connection closed", "printed"]);
  expect(terminal.calls).toEqual(["release"]);
});

it("keeps no job whose command could not be started, and says why", async () => {
  const refuse = () => Promise.reject(new Error("The user denied this."));
  const jobs = new Jobs({ start: terminalCommands({ create: refuse }), idPrefix: "job", stopTool: "kill" });
  const { signal } = new AbortController();
  await expect(jobs.start(request, signal)).rejects.toThrow("The command was not run: The user denied this.");
  await expect(jobs.read("job_1", 0, signal)).rejects.toThrow("None was started.");
});
