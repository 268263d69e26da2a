// Entries as an agent and a host would make them, for tests and benchmarks.
import { type Fact, type JsonObject, makeToolCallUpdate, readUpdate } from "@signalbox/protocol";
import { AgentLineParser } from "../log/agent-line.ts";
import type { Entry, Register } from "../register.ts";

export function update(fields: JsonObject): Entry {
  return { type: "update", update: readUpdate({ sessionId: "session-1", update: fields }) };
}

/** The same as an agent's raw line, with whatever number or spelling it chose. */
export function updateLine(line: string): Entry {
  const parsed = new AgentLineParser().parse(Buffer.from(line));
  return { type: "update", update: parsed?.update ?? readUpdate(parsed?.message.params), source: parsed?.source };
}

export function says(text: string, more: JsonObject = {}): Entry {
  return update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text }, ...more });
}

export function thinks(text: string): Entry {
  return update({ sessionUpdate: "agent_thought_chunk", content: { type: "text", text } });
}

export function toolCall(toolCallId: string, fields: JsonObject = {}): Entry {
  return update({ sessionUpdate: "tool_call", toolCallId, title: `Tool ${toolCallId}`, ...fields });
}

export function toolUpdate(toolCallId: string, fields: JsonObject = {}): Entry {
  return update({ ...makeToolCallUpdate({ toolCallId }), ...fields });
}

export function output(text: string): JsonObject {
  return { content: [{ type: "content", content: { type: "text", text } }] };
}

export function fact(stated: Fact): Entry {
  return { type: "fact", fact: stated };
}

/** A form that asks for one thing. */
export function elicitation(elicitation_id: string): Entry {
  const schema = { type: "object", properties: { port: { type: "integer" } } };
  const asked = { mode: "form", message: "Which port?", schema, url: null, tool_call_id: null } as const;
  return fact({ type: "elicitation_requested", elicitation_id, ...asked });
}

export function startTurn(register: Register, threadId: string, turnId: string, prompt = "go"): void {
  const blocks = [{ type: "text", text: prompt }];
  register.append(threadId, fact({ type: "turn_queued", turn_id: turnId, prompt_id: `p-${turnId}`, prompt: blocks }));
  register.append(threadId, fact({ type: "turn_started", turn_id: turnId }));
}

export function endTurn(register: Register, threadId: string, turnId: string, usage?: JsonObject): void {
  const ended = { type: "turn_ended", turn_id: turnId, stop_reason: "end_turn" } as const;
  register.append(threadId, fact(usage === undefined ? ended : { ...ended, usage }));
}

/** A thread in which a turn runs. */
export async function threadWithTurn(register: Register, cwd = "/work"): Promise<string> {
  const { id } = await register.createThread({ agent_id: "agent", cwd });
  startTurn(register, id, "turn-1");
  await register.settled(id);
  return id;
}
