// Questions of agents that want more than yes or no: a form to fill in, an address to open. Asked by a real process, answered from any screen.
import { describe, expect, it } from "vitest";
import { askForm, askUrl } from "../support/fake-agent/script.ts";
import { elicitation, FakeHost, run, said, submit, turnEnd, viewOf } from "../support/fake-host.ts";
import type { TestScreen } from "../support/screen.ts";
import { sharedHost } from "../support/shared-host.ts";

const port = { port: { type: "integer", minimum: 1, title: "Port", hint: "an unknown field" } };
const form = askForm(port, { required: ["port"] });

const respond = (threadId: string, elicitationId: string) =>
  ({ control: "elicitation.respond", thread_id: threadId, elicitation_id: elicitationId }) as const;

async function threads(screen: TestScreen, cwd: string) {
  return (await screen.query("threads.list", { cwd })).rows;
}

describe("a form", () => {
  it("is shown as the agent sent it, makes the thread wait, and its answer goes back", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const turnId = await submit(screen, threadId, form);
    const asked = await elicitation(screen, threadId);
    expect(asked).toMatchObject({
      mode: "form",
      message: "Which port?",
      schema: { type: "object", properties: port, required: ["port"] },
      url: null,
      status: "pending",
    });
    expect(await threads(screen, host.project)).toMatchObject([{ status: "waiting" }]);
    const accept = { ...respond(threadId, asked.elicitation_id), action: "accept" } as const;
    expect(await screen.request({ ...accept, content: { port: 8080 } })).toMatchObject({ type: "tinyvex.ok" });
    await turnEnd(screen, turnId);
    expect(said(screen, threadId)).toContain('{"result":{"action":"accept","content":{"port":8080}}}');
    expect(viewOf(screen.received, threadId).elicitations).toMatchObject([
      { status: "accepted", content: { port: 8080 }, decided_by: "person", decided_at: expect.any(Number) },
    ]);
    expect(await threads(screen, host.project)).toMatchObject([{ status: "idle" }]);
  });

  it("can be declined, and the agent is told so", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const turnId = await submit(screen, threadId, form);
    const asked = await elicitation(screen, threadId);
    await screen.request({ ...respond(threadId, asked.elicitation_id), action: "decline" });
    await turnEnd(screen, turnId);
    expect(said(screen, threadId)).toContain('{"result":{"action":"decline"}}');
    expect(viewOf(screen.received, threadId).elicitations).toMatchObject([{ status: "declined", content: null }]);
  });

  it("whose answer does not fit goes on waiting, and the answer names each field that is wrong", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    // A pattern that takes forever must not stop the host.
    const slow = { code: { type: "string", pattern: "^(a+)+$" } };
    const turnId = await submit(screen, threadId, askForm({ ...port, ...slow }, { required: ["port"] }));
    const { elicitation_id: id } = await elicitation(screen, threadId);
    const accept = { ...respond(threadId, id), action: "accept" } as const;
    const wrong: Record<string, string | number>[] = [{}, { port: "8080" }, { port: 0 }, { port: 1, colour: "red" }];
    for (const content of wrong) {
      expect(await screen.request({ ...accept, content })).toMatchObject({
        type: "tinyvex.error",
        code: "bad_request",
        details: { problems: [{ field: expect.any(String), message: expect.any(String) }] },
      });
    }
    const evil = await screen.request({ ...accept, content: { port: 1, code: `${"a".repeat(40)}!` } });
    expect(evil).toMatchObject({ type: "tinyvex.error", details: { problems: [{ field: "code" }] } });
    expect(viewOf(screen.received, threadId).elicitations).toMatchObject([{ status: "pending" }]);
    expect(await screen.request({ ...accept, content: { port: 1, code: "aaa" } })).toMatchObject({
      type: "tinyvex.ok",
    });
    await turnEnd(screen, turnId);
  });

  it("can be answered from any screen, also after a reload: the first answer counts and the others are told", async () => {
    await using host = await sharedHost();
    const one = await host.screen();
    const threadId = await host.thread(one);
    const turnId = await submit(one, threadId, form);
    await elicitation(one, threadId);
    const two = await host.screen();
    const snapshot = await two.request({ control: "tvx.subscribe", stream: "thread", thread_id: threadId });
    expect(snapshot).toMatchObject({ elicitations: [{ status: "pending", message: "Which port?" }] });
    const waiting = await two.request({ control: "tvx.query", name: "elicitations.list" });
    const { elicitation_id: id } = (waiting as unknown as { rows: { elicitation_id: string }[] }).rows[0] ?? {};
    const accept = { ...respond(threadId, id ?? ""), action: "accept" } as const;
    expect(await two.request({ ...accept, content: { port: 2 } })).toMatchObject({ type: "tinyvex.ok" });
    expect(await one.request({ ...accept, content: { port: 1 } })).toMatchObject({ code: "conflict" });
    await turnEnd(one, turnId);
    expect(viewOf(one.received, threadId).elicitations).toMatchObject([{ status: "accepted", content: { port: 2 } }]);
    expect(said(one, threadId)).toContain('"content":{"port":2}');
  });
});

describe("an address", () => {
  it("is shown to be opened; the agent may tell by itself that it is done", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const turnId = await submit(screen, threadId, askUrl("https://example.com/login?a=1"));
    const asked = await elicitation(screen, threadId);
    expect(asked).toMatchObject({ mode: "url", url: "https://example.com/login?a=1", schema: null });
    await screen.request({ ...respond(threadId, asked.elicitation_id), action: "accept" });
    await turnEnd(screen, turnId);
    expect(said(screen, threadId)).toContain('{"result":{"action":"accept"}}');

    const params = { mode: "url", message: "?", url: "http://127.0.0.1:1/", elicitationId: "second", sessionId: "s" };
    const done = { send: { method: "elicitation/complete", params: { elicitationId: "second" } } };
    await run(screen, threadId, { send: { id: "x", method: "elicitation/create", params } }, done);
    await expect
      .poll(() => viewOf(screen.received, threadId).elicitations[1])
      .toMatchObject({
        status: "accepted",
        decided_by: "agent",
      });
  });

  it.each(["javascript:alert(1)", "file:///etc/passwd", "not an address"])(
    "%s is no address to send a person to: declined with a reason",
    async (url) => {
      await using host = await sharedHost();
      const screen = await host.screen();
      const threadId = await host.thread(screen);
      await run(screen, threadId, askUrl(url));
      expect(said(screen, threadId)).toContain('{"result":{"action":"decline"}}');
      expect(viewOf(screen.received, threadId).elicitations).toMatchObject([
        { status: "declined", url: null, decided_by: "host", reason: expect.stringContaining(url) },
      ]);
    },
  );
});

describe("a question without an answer", () => {
  it("is cancelled when the time is up", async () => {
    await using host = await FakeHost.start({ config: { permission_timeout_s: 1 } });
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    await run(screen, threadId, form);
    const told = '{"result":{"action":"cancel","_meta":{"signalbox/denied-by":"timeout"}}}';
    expect(said(screen, threadId)).toContain(told);
    expect(viewOf(screen.received, threadId).elicitations).toMatchObject([
      { status: "cancelled", decided_by: "timeout", reason: "There was no answer in time." },
    ]);
  });

  it("ends with its turn, and with its agent", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    const turnId = await submit(screen, threadId, form);
    await elicitation(screen, threadId);
    await screen.request({ control: "run.cancel", thread_id: threadId });
    expect(await turnEnd(screen, turnId)).toMatchObject({ stop_reason: "cancelled" });

    const params = { mode: "form", message: "?", requestedSchema: {}, sessionId: "s" };
    const died = await run(screen, threadId, { send: { id: "x", method: "elicitation/create", params } }, { exit: 1 });
    expect(died).toMatchObject({ status: "failed" });
    const rows = viewOf(screen.received, threadId).elicitations;
    expect(rows.map((row) => row.status)).toEqual(["cancelled", "cancelled"]);
    const late = { ...respond(threadId, rows[1]?.elicitation_id ?? ""), action: "decline" } as const;
    expect(await screen.request(late)).toMatchObject({ code: "conflict" });
  });

  it("is cancelled when the host was killed while it waited", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    await submit(screen, threadId, form);
    const asked = await elicitation(screen, threadId);
    await host.restart("SIGKILL");
    const again = await host.screen();
    const snapshot = await again.request({ control: "tvx.subscribe", stream: "thread", thread_id: threadId });
    expect(snapshot).toMatchObject({
      thread: { status: "interrupted" },
      elicitations: [{ elicitation_id: asked.elicitation_id, status: "cancelled" }],
    });
    const late = { ...respond(threadId, asked.elicitation_id), action: "accept", content: { port: 1 } } as const;
    expect(await again.request(late)).toMatchObject({ code: "conflict" });
  });
});

describe("the host's capabilities", () => {
  it("names both ways of asking, and refuses a third and what is no question", async () => {
    await using host = await sharedHost();
    const screen = await host.screen();
    const threadId = await host.thread(screen);
    await run(
      screen,
      threadId,
      { heard: "initialize" },
      { ask: "elicitation/create", params: { mode: "_hologram", message: "?" } },
      { ask: "elicitation/create", params: { mode: "form", message: "?" } },
    );
    expect(said(screen, threadId)).toContain('"elicitation":{"form":{},"url":{}}');
    expect(said(screen, threadId).match(/"code":-32602/g)).toHaveLength(2);
    expect(viewOf(screen.received, threadId).elicitations).toEqual([]);
  });
});
