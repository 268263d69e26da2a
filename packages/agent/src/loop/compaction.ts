// Shortens a history: older messages become a summary that the model writes, the newest stay as they are. Where the model fails to write one,
// a list of prompts and tool calls stands in for it.
import type { Model, ModelMessage, ModelUsage } from "../providers/model.ts";
import { estimateTokens } from "./estimate.ts";
import { windowOf } from "./usage.ts";

interface Compaction {
  readonly messages: readonly ModelMessage[];
  readonly summary: string;
  /** How many messages the summary replaces. */
  readonly replaced: number;
  readonly usage: ModelUsage | null;
}

/** `older`: what does not fit any more. `all`: the user asked for a compaction and gets one, however short the conversation is. */
export type CompactedPart = "older" | "all";

/** The part of the model's window whose newest messages are kept. */
const keptPart = 0.25;
const maxToolText = 2000;
const summaryTokens = 4096;

const instructions = `You keep the memory of a coding session. Write down what somebody needs who goes on with this work and knows nothing else: what the user wants (in their words where they matter), what was decided and why, what was done, which files matter and what is in them, what failed, and what comes next. Be exact with names, paths and commands. No preface.`;

/** Null when a summary would make nothing shorter. */
export async function compactHistory(
  messages: readonly ModelMessage[],
  model: Model,
  signal: AbortSignal,
  what: CompactedPart,
): Promise<Compaction | null> {
  const end = olderEnd(messages, what === "all" ? 0 : windowOf(model) * keptPart);
  if (end < 2) return null;
  const older = messages.slice(0, end);
  const { summary, usage } = await summarize(older, model, signal);
  const text = `This is what happened in this session so far; the messages themselves were removed to make room.\n\n${summary}`;
  const head: ModelMessage = { role: "user", content: [{ type: "text", text }] };
  return { messages: [head, ...messages.slice(end)], summary, replaced: end, usage };
}

/** Where the older messages end. The last message is always kept, and a result stays with its call. */
function olderEnd(messages: readonly ModelMessage[], keptTokens: number): number {
  let left = keptTokens;
  let end = messages.length;
  while (end > 0) {
    const message = messages[end - 1];
    if (message === undefined) break;
    left -= estimateTokens(message);
    if (left < 0 && end < messages.length) break;
    end--;
  }
  while (messages[end]?.role === "tool") end++;
  return end;
}

async function summarize(
  messages: readonly ModelMessage[],
  model: Model,
  signal: AbortSignal,
): Promise<Pick<Compaction, "summary" | "usage">> {
  const transcript = messages.map(describeMessage).join("\n\n");
  const maxLength = windowOf(model) * 2;
  const text =
    transcript.length > maxLength
      ? `${transcript.slice(0, maxLength / 2)}\n[…]\n${transcript.slice(-maxLength / 2)}`
      : transcript;
  const request = {
    system: instructions,
    messages: [{ role: "user", content: [{ type: "text", text }] }],
    tools: [],
    maxOutputTokens: summaryTokens,
    thinking: "off",
  } as const;
  let summary = "";
  let usage: ModelUsage | null = null;
  try {
    for await (const event of model.stream(request, signal)) {
      if (event.type === "text") summary += event.text;
      else if (event.type === "retry") summary = "";
      else if (event.type === "finish") usage = event.usage;
    }
  } catch {
    signal.throwIfAborted();
    summary = "";
  }
  return { summary: summary.trim() || summarizeWithoutModel(messages), usage };
}

/** A message as text that any model can read. Inputs and results of tools are truncated. */
function describeMessage(message: ModelMessage): string {
  switch (message.role) {
    case "user":
      return `USER: ${message.content.map((part) => (part.type === "text" ? part.text : "[image]")).join("\n")}`;
    case "assistant":
      return message.content
        .flatMap((part) => {
          if (part.type === "text") return [`AGENT: ${part.text}`];
          return part.type === "tool_call"
            ? [`CALL ${part.name}: ${JSON.stringify(part.input).slice(0, maxToolText)}`]
            : [];
        })
        .join("\n");
    case "tool":
      return message.results
        .map(({ name, content }) => {
          const text = content.map((part) => (part.type === "text" ? part.text : "[image]")).join("\n");
          return `RESULT ${name}: ${text.slice(0, maxToolText)}`;
        })
        .join("\n");
  }
}

function summarizeWithoutModel(messages: readonly ModelMessage[]): string {
  const asked = messages.flatMap((message) =>
    message.role === "user" ? message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])) : [],
  );
  const called = messages.flatMap((message) =>
    message.role === "assistant"
      ? message.content.flatMap((part) =>
          part.type === "tool_call" ? [`${part.name} ${JSON.stringify(part.input).slice(0, 200)}`] : [],
        )
      : [],
  );
  return [
    "The user asked, in order:",
    ...asked.map((text) => `- ${text.slice(0, 500)}`),
    "These tools were called, in order:",
    ...called.slice(-100).map((text) => `- ${text}`),
  ].join("\n");
}
