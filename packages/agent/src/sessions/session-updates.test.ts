// What is shown arrives once, whole and in order, however slowly the client takes it.
import type { SessionUpdate } from "@agentclientprotocol/sdk";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SessionUpdates, withoutTerminals } from "./session-updates.ts";

type Step = { readonly act: "say" | "think" | "call" | "note" | "take"; readonly text: string };

const steps = fc.array(
  fc.record({
    act: fc.constantFrom<Step["act"]>("say", "say", "say", "think", "call", "note", "take"),
    text: fc.string({ minLength: 1 }),
  }),
  { maxLength: 40 },
);

/** Neighbouring pieces of the same voice joined: how they were split does not matter. */
function joined(updates: readonly SessionUpdate[]): string[] {
  const lines: string[] = [];
  let open = "";
  for (const update of updates) {
    const text = "content" in update && update.content && "text" in update.content ? update.content.text : "";
    const voice = "messageId" in update ? `${update.sessionUpdate} ${update.messageId}` : "";
    if (voice !== "" && voice === open) lines[lines.length - 1] += text;
    else lines.push(`${update.sessionUpdate}: ${text}`);
    open = voice;
  }
  return lines;
}

describe("what a session shows", () => {
  it("arrives once, whole and in order, and is kept the same", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (script) => {
        const sent: SessionUpdate[] = [];
        const kept: SessionUpdate[] = [];
        const waiting: (() => void)[] = [];
        const updates = new SessionUpdates({
          sessionId: "s",
          send: ({ update }) => {
            sent.push(structuredClone(update));
            return new Promise((resolve) => waiting.push(resolve));
          },
          keep: (update) => kept.push(structuredClone(update)),
          notices: false,
        });
        const expected: string[] = [];
        let open = "";
        const expectText = (voice: string, text: string) => {
          if (open === voice) expected[expected.length - 1] += text;
          else expected.push(`${voice}: ${text}`);
          open = voice;
        };
        for (const { act, text } of script) {
          if (act === "say") {
            void updates.appendText(text);
            expectText("agent_message_chunk", text);
          } else if (act === "think") {
            void updates.appendThought(text);
            expectText("agent_thought_chunk", text);
          } else if (act === "call") {
            void updates.track({ sessionUpdate: "tool_call", toolCallId: text, title: text });
            expected.push("tool_call: ");
            open = "";
          } else if (act === "note") {
            updates.showNotice(text);
            expected.push(`agent_message_chunk: \n\n*${text}*\n\n`);
            open = "";
          } else {
            waiting.shift()?.();
            await Promise.resolve();
          }
        }
        updates.endMessage();
        while (waiting.length > 0) {
          waiting.shift()?.();
          await new Promise((resolve) => setImmediate(resolve));
        }
        expect(joined(sent)).toEqual(expected);
        expect(joined(kept)).toEqual(expected);
      }),
    );
  });

  it("goes out immediately when the client keeps up, and in larger pieces when it does not", async () => {
    const sent: string[] = [];
    let accept = () => {};
    const updates = new SessionUpdates({
      sessionId: "s",
      send: ({ update }) => {
        if ("content" in update && update.content && "text" in update.content) sent.push(update.content.text);
        return new Promise((resolve) => (accept = resolve));
      },
      keep: () => {},
      notices: false,
    });
    for (const word of ["one ", "two ", "three"]) void updates.appendText(word);
    expect(sent).toEqual(["one "]);
    accept();
    await new Promise((resolve) => setImmediate(resolve));
    expect(sent).toEqual(["one ", "two three"]);
  });

  it("makes a sender that is too fast wait", () => {
    const updates = new SessionUpdates({
      sessionId: "s",
      send: () => new Promise(() => {}),
      keep: () => {},
      notices: false,
    });
    expect(updates.appendText("x")).toBeUndefined();
    expect(updates.appendText("x".repeat(70_000))).toBeInstanceOf(Promise);
  });
});

describe("a replayed update", () => {
  it("does not name terminals of an earlier client", () => {
    const text = { type: "content", content: { type: "text", text: "hi" } } as const;
    const call = { sessionUpdate: "tool_call_update", toolCallId: "c" } as const;
    const replayed = withoutTerminals({ ...call, content: [{ type: "terminal", terminalId: "t" }, text] });
    expect(replayed).toMatchObject({
      ...call,
      content: [
        { content: { text: expect.stringContaining("terminal of the client, which is gone") as unknown } },
        text,
      ],
    });
    expect(withoutTerminals({ ...call, content: [text] })).toEqual({ ...call, content: [text] });
  });
});
