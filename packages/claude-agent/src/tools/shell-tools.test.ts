// Bash, BashOutput and KillShell, in terminals that do what they are told.
import { beforeEach, describe, expect, it, vi } from "vitest";
import { bashOutputTool, bashTool, killShellTool, openShell, type Shell } from "./bash.ts";
import { TestCall, TestClient } from "./test-client.ts";

let client: TestClient;
let shell: Shell;
let kept: string;

beforeEach(() => {
  client = new TestClient();
  kept = "";
  shell = openShell(client.clientTerminals, { cwd: "/work", escalates: false, keep });
});

const keep = async (text: string) => {
  kept = text;
  return "/outputs/1.txt";
};
const bash = async (input: object, call = new TestCall()) => await bashTool(shell).run(input, call);
const output = async (bash_id: string) => await bashOutputTool(shell).run({ bash_id }, new TestCall());
const kill = async (shell_id: string) => await killShellTool(shell).run({ shell_id }, new TestCall());

/** The terminal that was made last, as soon as it is there. */
async function terminal() {
  await vi.waitUntil(() => client.terminals.length > 0, { interval: 1 });
  return client.terminals.at(-1)!;
}

describe("Bash", () => {
  it("shows the terminal while it runs, tells what was printed, and releases it", async () => {
    const call = new TestCall();
    const run = bash({ command: "npm test" }, call);
    const made = await terminal();
    await expect.poll(() => call.shown.content).toEqual([{ type: "terminal", terminalId: "terminal-1" }]);
    expect(made.releases).toBe(0);
    made.printed = "fine\n";
    made.exit({ exitCode: 0, signal: null });
    expect(await run).toBe("fine\n");
    expect([made.releases, made.kills]).toEqual([1, 0]);
    expect(client.commands).toEqual(["npm test"]);
  });

  it.each([
    [{ exitCode: 3, signal: null }, "Exit code 3\noops"],
    [{ exitCode: null, signal: "SIGSEGV" }, "Ended by SIGSEGV\noops"],
  ])("fails with how it ended, and then what was printed: %j", async (exit, words) => {
    const run = bash({ command: "x" });
    const made = await terminal();
    made.printed = "oops";
    made.exit(exit);
    await expect(run).rejects.toThrow(words);
    expect(made.releases).toBe(1);
  });

  it("can ask for more rights, with a reason, where the client lets it; a denial says so", async () => {
    const escalate = { reason: "the log belongs there", to: "write", folder: "/logs" };
    expect(bashTool(shell).input).not.toHaveProperty("escalate");
    shell = openShell(client.clientTerminals, { cwd: "/work", escalates: true, keep });
    expect(bashTool(shell).input).toHaveProperty("escalate");
    const asked = bash({ command: "x", escalate });
    (await terminal()).exit({ exitCode: 0, signal: null });
    await asked;
    expect(client.escalations).toEqual([escalate]);
    const denied = bash({ command: "y" });
    await vi.waitUntil(() => client.terminals.length > 1, { interval: 1 });
    const meta = { "signalbox/denied": { denied: ["The sandbox denied: writing /logs"], network: false } };
    client.terminals.at(-1)?.exit({ exitCode: 1, signal: null, _meta: meta });
    await expect(denied).rejects.toThrow(/writing \/logs\nIf the task needs this, call Bash again with escalate/);
  });

  it("goes on in the background after its time", async () => {
    const run = bash({ command: "sleep 9", timeout: 20 });
    const made = await terminal();
    made.printed = "half\n";
    expect(await run).toMatch(/^It still runs, and goes on in the background as shell_1\..*\nhalf\n$/);
    expect([made.kills, made.releases]).toEqual([0, 0]);
    made.printed = "half\nwhole\n";
    made.exit({ exitCode: 0 });
    await vi.waitUntil(() => made.releases === 1, { interval: 1 });
    expect(await output("shell_1")).toBe("shell_1 has ended. Exit code 0\nwhole\n");
  });

  it("waits 120 seconds unless told otherwise, and never more than 600", () => {
    const limit = vi.spyOn(AbortSignal, "timeout");
    void bash({ command: "x" }).catch(() => {});
    void bash({ command: "x", timeout: 600_000 }).catch(() => {});
    return vi
      .waitFor(() => expect(limit.mock.calls.flat()).toEqual([120_000, 600_000]))
      .finally(() => {
        limit.mockRestore();
        for (const each of client.terminals) each.exit({ exitCode: 0 });
        expect(bashTool(shell).input.timeout?.safeParse(600_001).success).toBe(false);
      });
  });

  it("is ended and released when the person cancels", async () => {
    const call = new TestCall();
    const run = bash({ command: "sleep 9" }, call);
    const made = await terminal();
    call.stop.abort();
    await expect(run).rejects.toThrow("Cancelled");
    expect([made.kills, made.releases]).toEqual([1, 1]);
  });

  it("tells why the client did not run it", async () => {
    client.refusal = new Error("The user denied this.");
    await expect(bash({ command: "x" })).rejects.toThrow("The command was not run: The user denied this.");
  });

  it("bounds what the model gets, and says so", async () => {
    const run = bash({ command: "yes" });
    const made = await terminal();
    made.printed = `${"y\n".repeat(20_000)}last\n`;
    made.truncated = true;
    made.exit({ exitCode: 0 });
    const told = await run;
    expect(told).toMatch(/^\[The beginning of the output was dropped\.\]\ny\n[^]* are left out here\. [^]*last\n$/);
    expect(told).toSatisfy((text: string) => text.length < 30_300);
    expect(kept).toContain(made.printed);
  });
});

describe("a command in the background", () => {
  it("answers immediately, tells only what is new, and its end, and is released then", async () => {
    expect(await bash({ command: "serve", run_in_background: true })).toContain("as shell_1");
    const made = await terminal();
    made.printed = "up\n";
    expect(await output("shell_1")).toBe("shell_1 is running.\nup\n");
    expect(await output("shell_1")).toBe("shell_1 is running.\n(no new output)");
    made.printed = "up\nrequest\n";
    expect(await output("shell_1")).toBe("shell_1 is running.\nrequest\n");
    made.printed = "up\nrequest\nbye\n";
    made.exit({ exitCode: 2 });
    await vi.waitUntil(() => made.releases === 1, { interval: 1 });
    expect(await output("shell_1")).toBe("shell_1 has ended. Exit code 2\nbye\n");
    expect(await kill("shell_1")).toBe("shell_1 had ended already.");
  });

  it("is ended by KillShell, once, and released", async () => {
    await bash({ command: "serve", run_in_background: true });
    const made = await terminal();
    expect(await kill("shell_1")).toBe("shell_1 was ended.");
    expect([made.kills, made.releases]).toEqual([1, 1]);
    expect(await output("shell_1")).toBe("shell_1 has ended. Cancelled\n(no new output)");
  });

  it("is ended with the session, each of them", async () => {
    await bash({ command: "one", run_in_background: true });
    await bash({ command: "two", run_in_background: true });
    await shell.jobs.close();
    expect(client.terminals.map(({ kills, releases }) => [kills, releases])).toEqual([
      [1, 1],
      [1, 1],
    ]);
  });

  it("is not found by another name", async () => {
    await expect(output("shell_9")).rejects.toThrow("There is no command shell_9 in the background. None was started.");
    await bash({ command: "serve", run_in_background: true });
    await expect(kill("x")).rejects.toThrow("There are: shell_1.");
  });
});
