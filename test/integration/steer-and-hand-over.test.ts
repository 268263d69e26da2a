// Text into a running turn, a thread that goes on with another agent, and what else ACP has for a session.
import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { askPermission, fakeAgentFile, script } from "../support/fake-agent/script.ts";
import { question, run, said, submit, turnEnd, viewOf } from "../support/fake-host.ts";
import { TemporaryFolder } from "../support/host-process.ts";
import { sharedHost } from "../support/shared-host.ts";

const able = (answer: object, ...more: readonly string[]) => [
  "--initialize",
  JSON.stringify({
    _meta: { steering: { supported: true } },
    agentCapabilities: { sessionCapabilities: { close: {}, delete: {}, additionalDirectories: {} } },
  }),
  "--steering",
  JSON.stringify(answer),
  ...more,
];
const text = (words: string) => [{ type: "text", text: words }];

it("steers into a running turn, as a message of the user, once; shows notices and compactions; closes and deletes", async () => {
  using ended = new TemporaryFolder();
  await using host = await sharedHost({
    agentArgs: able({ outcome: "injected" }, "--ended-file", ended.in("ended")),
  });
  const screen = await host.screen();
  const threadId = await host.thread(screen);
  const steps = [{ say: "before " }, askPermission("t"), { heard: "_session/steering" }, { heard: "session/prompt" }];
  const turn = await submit(screen, threadId, ...steps);
  const { permission_id } = await question(screen, threadId);
  const steer = {
    control: "run.submit",
    thread_id: threadId,
    prompt_id: "s1",
    prompt: text("and be quick"),
    steer: true,
  } as const;
  expect(await screen.request(steer)).toMatchObject({ turn_id: turn, queued: false, steered: true });
  expect(await screen.request(steer)).toMatchObject({ turn_id: turn, queued: false, steered: true });
  await screen.request({ control: "permission.respond", thread_id: threadId, permission_id, option_id: "yes" });
  await turnEnd(screen, turn);
  expect(said(screen, threadId)).toContain('"idleBehavior":"promptRequired"');
  expect(said(screen, threadId)).toMatch(/"traceparent":"00-[0-9a-f]{32}-[0-9a-f]{16}-01"/);
  const messages = viewOf(screen.received, threadId).timeline.filter((item) => item.type === "message");
  expect(messages.map(({ role, text: words }) => [role, words.slice(0, 12)])).toEqual([
    ["user", script(...steps).slice(0, 12)],
    ["assistant", "before "],
    ["user", "and be quick"],
    ["assistant", expect.any(String)],
  ]);
  // Between two turns there is nothing to steer: it is a prompt.
  const idle = { ...steer, prompt_id: "s2", prompt: text(script({ say: "alone" })) };
  expect(await screen.request(idle)).toMatchObject({ queued: false, steered: false });

  const summary = [{ type: "text", text: "They talked." }];
  await run(
    screen,
    threadId,
    { update: { sessionUpdate: "notice", severity: "warning", title: "Almost full", description: "Compact it." } },
    { update: { sessionUpdate: "compaction_update", compactionId: "c", status: "in_progress" } },
    { update: { sessionUpdate: "compaction_update", compactionId: "c", status: "completed", summary } },
  );
  const { timeline } = viewOf(screen.received, threadId);
  expect(timeline).toContainEqual(expect.objectContaining({ kind: "notice", text: "Almost full\n\nCompact it." }));
  expect(timeline.at(-1)).toMatchObject({ title: "Compact the conversation", status: "completed" });
  expect(JSON.stringify(timeline.at(-1))).toContain("They talked.");

  await screen.request({ control: "session.close", thread_id: threadId });
  expect(readFileSync(ended.in("ended"), "utf8")).toBe("session/close\n");
  await screen.request({ control: "session.resume", thread_id: threadId });
  await screen.request({ control: "session.delete", thread_id: threadId });
  expect(readFileSync(ended.in("ended"), "utf8")).toBe("session/close\nsession/delete\n");
});

it("queues what the agent did not take into the turn; a thread can have several folders", async () => {
  await using host = await sharedHost({ agentArgs: able({ outcome: "promptRequired" }) });
  const screen = await host.screen();
  const folders = { cwd: host.project, additional_directories: [host.folder.path] };
  const several = await screen.ask("session.create", { agent_id: "fake", ...folders });
  expect(several).toMatchObject({ thread: { additional_directories: [host.folder.path] } });
  await screen.request({ control: "tvx.subscribe", stream: "thread", thread_id: several.thread_id });
  await run(screen, several.thread_id, { heard: "session/new" });
  expect(said(screen, several.thread_id)).toContain(`"additionalDirectories":["${host.folder.path}"]`);
  const threadId = await host.thread(screen);
  const turn = await submit(screen, threadId, askPermission("t"));
  const { permission_id } = await question(screen, threadId);
  const prompt = text(script({ say: "later" }));
  const steer = { control: "run.submit", thread_id: threadId, prompt_id: "s", prompt, steer: true } as const;
  expect(await screen.request(steer)).toMatchObject({ queued: true, steered: false });
  await screen.request({ control: "permission.respond", thread_id: threadId, permission_id, option_id: "yes" });
  await turnEnd(screen, turn);
  await screen.waitFor((message) => JSON.stringify(message).includes('"text_delta":"later"'));
});

it("hands a thread over: one timeline, each turn with its agent, the new agent is told; or it stays where it was", async () => {
  const other = { command: process.execPath, args: ["--no-warnings", fakeAgentFile], label: "Other" };
  const fake = { ...other, label: "Fake" };
  const broken = { command: process.execPath, args: ["-e", "process.exit(1)"], label: "Broken" };
  await using host = await sharedHost({ config: { agents: { fake, other, broken } } });
  const screen = await host.screen();
  const threadId = await host.thread(screen);
  await run(screen, threadId, { say: "x".repeat(7000) }, { say: " from the first" });
  const failed = await screen.request({ control: "session.hand_over", thread_id: threadId, agent_id: "broken" });
  expect(failed).toMatchObject({ type: "tinyvex.error", code: "agent_failed" });
  const unknown = await screen.request({ control: "session.hand_over", thread_id: threadId, agent_id: "none" });
  expect(unknown).toMatchObject({ code: "not_found" });
  await run(screen, threadId, { shell: "echo made > by-command.txt" }, { say: "still the first" });
  const handed = await screen.request({ control: "session.hand_over", thread_id: threadId, agent_id: "other" });
  expect(handed).toMatchObject({ type: "tinyvex.ok", thread: { id: threadId, agent_id: "other" } });
  await run(screen, threadId, { say: "from the second" });
  const told = said(screen, threadId);
  expect(told).toContain("another agent began");
  expect(told).toMatch(/Fake: .*still the first/s);
  // No tool call has a diff of it: only the checkpoints know.
  expect(told).toMatch(/Files that were changed on disk:\s*- by-command\.txt/);
  const { rows } = (await screen.request({
    control: "tvx.query",
    name: "turns.list",
    args: { thread_id: threadId },
  })) as {
    rows: readonly { agent_id: string }[];
  };
  expect(rows.map(({ agent_id }) => agent_id)).toEqual(["fake", "fake", "other"]);
  const { timeline } = viewOf(screen.received, threadId);
  expect(timeline.filter((item) => item.type === "message" && item.role === "user")).toHaveLength(3);
});
