// Our agent under the host: its commands run in the host's terminals, unasked where the sandbox holds them and asked about once where the config
// says so, and their output is kept once.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { nestHostItems, type ServerMessage } from "@signalbox/protocol";
import { expect, it } from "vitest";
import { viewOf } from "../support/fake-host.ts";
import type { TestScreen } from "../support/screen.ts";
import { sharedHost } from "../support/shared-host.ts";

const turnIs = (status: string) => (message: ServerMessage) =>
  message.type === "tinyvex.update" && message.stream === "turns" && "row" in message && message.row.status === status;

async function submit(screen: TestScreen, cwd: string, text: string): Promise<string> {
  const { thread_id: threadId } = await screen.ask("session.create", { agent_id: "demo", cwd, title: "Commands" });
  await screen.request({ control: "tvx.subscribe", stream: "thread", thread_id: threadId });
  const prompt = [{ type: "text", text }];
  await screen.request({ control: "run.submit", thread_id: threadId, prompt_id: `p-${threadId}`, prompt });
  return threadId;
}

/** Waits for the next question of the thread that waits for an answer, and allows it. */
async function allowNext(screen: TestScreen, threadId: string): Promise<void> {
  const isOpen = (message: ServerMessage) =>
    message.type === "tinyvex.update" && message.stream === "permissions" && message.row.status === "pending";
  const message = await screen.waitFor(isOpen);
  if (message.type !== "tinyvex.update" || message.stream !== "permissions") throw new Error("no question");
  const { permission_id, options } = message.row;
  const option_id = options.find(({ kind }) => kind === "allow_once")?.optionId ?? "";
  await screen.request({ control: "permission.respond", thread_id: threadId, permission_id, option_id });
}

it.each([
  [true, 1],
  [false, 0],
])(
  "with ask_commands %s, %d questions; shows the terminal, keeps the output once, and holds the sandbox",
  async (ask_commands, questions) => {
    await using host = await sharedHost({ config: { sandbox: { ask_commands } } });
    const screen = await host.screen();
    const command = "echo made > made.txt; echo only-once; curl -s http://192.0.2.1/ || echo exit-$?";
    const threadId = await submit(screen, host.project, `run ${command}`);
    if (questions > 0) await allowNext(screen, threadId);
    await screen.waitFor(turnIs("ended"));

    const view = viewOf(screen.received, threadId);
    expect(view.permissions).toHaveLength(questions);
    const [call] = view.timeline.filter((item) => item.type === "tool_call");
    expect(call).toMatchObject({ kind: "execute", status: "completed", content: [{ type: "terminal" }] });
    expect(view.terminals).toMatchObject([{ command, exit_code: 0 }]);
    // The network is off in the host's terminals as it is in our own sandbox.
    expect(view.terminals[0]?.output).toMatch(/^only-once\nexit-\d+\n$/);
    expect(readFileSync(join(host.project, "made.txt"), "utf8")).toBe("made\n");

    const { rows } = await screen.query("events.list", { thread_id: threadId });
    const carrying = rows.filter((row) => JSON.stringify(row).includes("only-once\\n"));
    expect(carrying.map((row) => ("kind" in row ? row.kind : ""))).toEqual(["signalbox/terminal_output"]);
  },
);

it("ends the command when the turn is cancelled", async () => {
  await using host = await sharedHost();
  const screen = await host.screen();
  const threadId = await submit(screen, host.project, "run echo begun; sleep 600");
  await screen.waitFor(
    (message) =>
      message.type === "tinyvex.update" &&
      message.stream === "terminals" &&
      JSON.stringify(message).includes("begun\\n"),
  );
  await screen.request({ control: "run.cancel", thread_id: threadId });
  await screen.waitFor(turnIs("ended"));
  await screen.waitFor(
    (message) =>
      message.type === "tinyvex.update" &&
      message.stream === "terminals" &&
      /"ended_at":\d/.test(JSON.stringify(message)),
  );
  const view = viewOf(screen.received, threadId);
  expect(view.turns).toMatchObject([{ stop_reason: "cancelled" }]);
  // The agent's call and the host's item of the command, which is nested in it.
  const { items, within } = nestHostItems(view.timeline);
  const calls = items.filter((item) => item.type === "tool_call");
  expect(calls).toMatchObject([{ status: "failed", name: "bash" }]);
  expect(within.get(calls[0]?.tool_call_id ?? "")).toMatchObject([{ status: "failed" }]);
});
