// Makes room in a history: what is older becomes a summary that the model writes itself, the newest stays word for word. Where the model
// cannot write one, a list of what was asked has to do.
import type { Model, ModelMessage, ModelUsage } from "../providers/model.ts";
import { estimateTokens } from "./estimate.ts";
import { windowOf } from "./usage.ts";

export interface Compaction {
  readonly messages: readonly ModelMessage[];
  readonly summary: string;
  /** Messages that the summary stands for. */
  readonly replaced: number;
  readonly usage: ModelUsage | null;
}

/** What is too old to stay, or all that there is: somebody who asks for a compaction wants one, however short the conversation. */
export type CompactedPart = "older" | "all";

/** How much of the model's window stays as it is. */
const keptPart = 0.25;
const longestResult = 2000;
const summaryTokens = 4096;

const instructions = `You keep the memory of a coding session. Write down what somebody needs who goes on with this work and knows nothing else: what the user wants (in their words where they matter), what was decided and why, what was done, which files matter and what is in them, what failed, and what comes next. Be exact with names, paths and commands. No preface.`;

/** Null when there is nothing that a summary would make shorter. */
export async function compactHistory(
  messages: readonly ModelMessage[],
  model: Model,
  signal: AbortSignal,
  what: CompactedPart,
): Promise<Compaction | null> {
  const cut = cutIndex(messages, what === "all" ? 0 : windowOf(model) * keptPart);
  if (cut < 2) return null;
  const older = messages.slice(0, cut);
  const { summary, usage } = await summarize(older, model, signal);
  const text = `This is what happened in this session so far; the messages themselves were removed to make room.\n\n${summary}`;
  const head: ModelMessage = { role: "user", content: [{ type: "text", text }] };
  return { messages: [head, ...messages.slice(cut)], summary, replaced: cut, usage };
}

/** Before the newest messages that fit, of which the last always does; a result is never parted from its call. */
function cutIndex(messages: readonly ModelMessage[], room: number): number {
  let left = room;
  let cut = messages.length;
  while (cut > 0) {
    const message = messages[cut - 1];
    if (message === undefined) break;
    left -= estimateTokens(message);
    if (left < 0 && cut < messages.length) break;
    cut--;
  }
  while (messages[cut]?.role === "tool") cut++;
  return cut;
}

async function summarize(
  messages: readonly ModelMessage[],
  model: Model,
  signal: AbortSignal,
): Promise<Pick<Compaction, "summary" | "usage">> {
  const transcript = messages.map(spoken).join("\n\n");
  const room = windowOf(model) * 2;
  const shown =
    transcript.length > room ? `${transcript.slice(0, room / 2)}\n[…]\n${transcript.slice(-room / 2)}` : transcript;
  const request = {
    system: instructions,
    messages: [{ role: "user", content: [{ type: "text", text: shown }] }],
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
  return { summary: summary.trim() || withoutModel(messages), usage };
}

/** The conversation as text, which any model reads; what tools returned is cut. */
function spoken(message: ModelMessage): string {
  switch (message.role) {
    case "user":
      return `USER: ${message.content.map((part) => (part.type === "text" ? part.text : "[image]")).join("\n")}`;
    case "assistant":
      return message.content
        .flatMap((part) => {
          if (part.type === "text") return [`AGENT: ${part.text}`];
          return part.type === "tool_call"
            ? [`CALL ${part.name}: ${JSON.stringify(part.input).slice(0, longestResult)}`]
            : [];
        })
        .join("\n");
    case "tool":
      return message.results
        .map(({ name, content }) => {
          const text = content.map((part) => (part.type === "text" ? part.text : "[image]")).join("\n");
          return `RESULT ${name}: ${text.slice(0, longestResult)}`;
        })
        .join("\n");
  }
}

function withoutModel(messages: readonly ModelMessage[]): string {
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
