// Random sessions for property tests: chunks, tool calls announced late, twice, partly, after their end, and turns.
import { type JsonObject, readUpdate } from "@signalbox/protocol";
import fc from "fast-check";
import type { Register } from "../register.ts";
import { endTurn, fact, startTurn, update } from "./entries.ts";
import type { Step } from "./timeline-model.ts";

const word = fc.oneof(
  fc.constantFrom("a", " be", "\n", "ä", "", "\u0000", "“quoted”", '{"json":1}'),
  fc.string({ unit: "grapheme", maxLength: 8 }),
);

const content = fc.array(
  word.map((text) => ({ type: "content", content: { type: "text", text } })),
  { maxLength: 2 },
);

const fields: fc.Arbitrary<JsonObject> = fc.record(
  {
    title: fc.option(word, { nil: null }),
    kind: fc.constantFrom("read", "edit", "teleport"),
    status: fc.constantFrom("pending", "in_progress", "completed", "failed", "floating"),
    content,
    rawInput: fc.constantFrom({}, { path: "a.ts" }, { command: "ls", args: [] }),
  },
  { requiredKeys: [] },
);

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      type: fc.constant("chunk" as const),
      kind: fc.constantFrom("agent_message_chunk" as const, "agent_thought_chunk" as const),
      text: word,
      messageId: fc.constantFrom(null, null, "m1", "m1", "m2"),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      type: fc.constant("tool" as const),
      announced: fc.boolean(),
      id: fc.constantFrom("t1", "t2", "t3"),
      fields,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("elicit" as const),
      id: fc.constantFrom("e1", "e2"),
      status: fc.constantFrom(null, "accepted" as const, "declined" as const, "cancelled" as const),
    }),
  },
  { weight: 1, arbitrary: fc.constantFrom<Step>({ type: "plan" }, { type: "unknown" }, { type: "malformed" }) },
  { weight: 1, arbitrary: fc.constantFrom<Step>({ type: "start" }, { type: "end" }) },
);

export const session = fc.array(step, { maxLength: 60 });

/** Hands a step to the register; `turn` counts the turns that were started. */
export class StepPlayer {
  readonly #register: Register;
  readonly #threadId: string;
  #turn = 0;
  #isRunning = false;

  constructor(register: Register, threadId: string) {
    this.#register = register;
    this.#threadId = threadId;
  }

  play(played: Step): void {
    const register = this.#register;
    const id = this.#threadId;
    switch (played.type) {
      case "chunk": {
        const { kind, text, messageId } = played;
        const chunk = { sessionUpdate: kind, content: { type: "text", text } };
        return register.append(id, update(messageId === null ? chunk : { ...chunk, messageId }));
      }
      case "tool": {
        const sessionUpdate = played.announced ? "tool_call" : "tool_call_update";
        return register.append(id, update({ sessionUpdate, toolCallId: played.id, ...played.fields }));
      }
      case "plan":
        return register.append(id, update({ sessionUpdate: "plan", entries: [] }));
      case "elicit": {
        const { id: elicitation_id, status } = played;
        if (status === null) {
          const asked = {
            mode: "form",
            message: "?",
            schema: { type: "object" },
            url: null,
            tool_call_id: null,
          } as const;
          return register.append(id, fact({ type: "elicitation_requested", elicitation_id, ...asked }));
        }
        const answer = { status, content: { a: 1 }, decided_by: "person", reason: null };
        return register.append(id, fact({ type: "elicitation_decided", elicitation_id, ...answer }));
      }
      case "unknown":
        return register.append(id, update({ sessionUpdate: "dream", about: "sheep" }));
      case "malformed":
        return register.append(id, { type: "update", update: readUpdate({ update: 3 }) });
      case "start":
        if (!this.#isRunning) startTurn(register, id, `turn-${++this.#turn}`);
        this.#isRunning = true;
        return;
      case "end":
        if (this.#isRunning) endTurn(register, id, `turn-${this.#turn}`);
        this.#isRunning = false;
        return;
    }
  }
}
