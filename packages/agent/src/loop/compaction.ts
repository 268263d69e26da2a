// Shortens a history: older messages become a summary that the model writes, the newest stay as they are, and so do the user's own words and the
// list of files that were read and changed. Where the model fails to write a summary, a list of tool calls stands in for it.
import { parsePatch } from "@signalbox/agent-kit";
import { planFromTodos } from "@signalbox/tool-calls";
import type { Model, ModelMessage, ModelUsage, UserPart } from "../providers/model.ts";
import { editTool } from "../tools/edit/edit.ts";
import { withOurNames } from "../tools/other-names.ts";
import { applyPatchTool } from "../tools/patch/apply-patch.ts";
import { readTool } from "../tools/read.ts";
import { todoWriteTool } from "../tools/todo-write.ts";
import type { Tool } from "../tools/tool.ts";
import { writeTool } from "../tools/write.ts";
import { charactersPerToken, estimateText, estimateTokens } from "./estimate.ts";
import { findTool } from "./find-tool.ts";
import { chooseWindow } from "./usage.ts";

interface Compaction {
  readonly messages: readonly ModelMessage[];
  readonly summary: string;
  /** How many messages the summary replaces. */
  readonly replaced: number;
  readonly usage: ModelUsage | null;
}

/** `older`: what does not fit any more. `all`: the user asked for a compaction and gets one, however short the conversation is. */
export type CompactedPart = "older" | "all";

interface CompactionOptions {
  readonly what: CompactedPart;
  /** Texts that stay true for the whole session, such as instructions and running jobs. They follow the summary as they are. */
  readonly standing?: readonly string[];
}

/** The part of the model's window whose newest messages are kept. */
const keptPart = 0.25;
/** The part of the window that the user's older words may take. */
const wordsPart = 0.1;
/** Of one message: what is longer was pasted. */
const maxMessageTokens = 2000;
/** Less of a message says nothing. */
const minMessageTokens = 50;
const maxNamedFiles = 100;
/** How the summary of an earlier compaction begins, so that it is not taken for the user's words. */
const summaryStart = "This is what happened in this session so far; ";
const maxToolText = 2000;
const summaryTokens = 4096;

const instructions = `You keep the notes of a coding session, for an engineer who continues the work and knows nothing else. Write under these headings, in this order:

## Goal
What the user wants, in their words where they matter.
## Constraints
What the user demanded or refused, and decisions with their reasons.
## Done
What was done and verified.
## Files
The files that matter and what is in them.
## Failures
What failed, and why.
## Next
The next steps.

Be exact with names, paths and commands. Leave a heading empty if there is nothing to say. No preface.`;

const updateInstructions = `${instructions}

The conversation begins with the notes so far. Update them: keep what is still true word for word, correct what has changed, and add what is new.`;

/** Null when a summary would make nothing shorter. */
export async function compactHistory(
  messages: readonly ModelMessage[],
  model: Model,
  signal: AbortSignal,
  { what, standing = [] }: CompactionOptions,
): Promise<Compaction | null> {
  const end = olderEnd(messages, what === "all" ? 0 : chooseWindow(model) * keptPart);
  if (end < 2) return null;
  const older = messages.slice(0, end);
  const { summary, usage } = await summarize(older, model, signal);
  const words = userMessages(older, chooseWindow(model) * wordsPart);
  const text = [
    `${summaryStart}the messages themselves were removed to make room, except what the user said, which stands before this.`,
    summary,
    ...listFiles(older),
    ...listOpenSteps(messages),
    ...standing,
  ].join("\n\n");
  const head: ModelMessage = { role: "user", content: [{ type: "text", text }] };
  return { messages: [...words, head, ...messages.slice(end)], summary, replaced: end, usage };
}

/** Returns the user's messages verbatim, without pictures. If not all of them fit, the newest are kept. */
function userMessages(messages: readonly ModelMessage[], maxTokens: number): readonly ModelMessage[] {
  let left = maxTokens;
  const kept: ModelMessage[] = [];
  for (const message of messages.toReversed()) {
    if (message.role !== "user" || isSummary(message)) continue;
    const whole = joinText(message.content);
    const limit = Math.min(left, maxMessageTokens);
    const text = estimateText(whole) > limit ? bothEnds(whole, limit * charactersPerToken) : whole;
    left -= estimateText(text);
    if (left < 0 || (text !== whole && limit < minMessageTokens)) break;
    kept.unshift({ role: "user", content: [{ type: "text", text }] });
  }
  return kept;
}

function isSummary({ content }: Extract<ModelMessage, { role: "user" }>): boolean {
  const [first] = content;
  return first?.type === "text" && first.text.startsWith(summaryStart);
}

function bothEnds(text: string, length: number): string {
  const half = Math.max(0, Math.floor(length / 2) - 20);
  return `${text.slice(0, half)}\n[… ${text.length - 2 * half} characters …]\n${half === 0 ? "" : text.slice(-half)}`.toWellFormed();
}

/** The files that tools changed and read, the last ones, each once. */
function listFiles(messages: readonly ModelMessage[]): readonly string[] {
  const changed = new Set<string>();
  const read = new Set<string>();
  for (const { name, input } of messages.flatMap(listCalls)) {
    const tool = findTool(fileTools, name);
    if (tool === undefined) continue;
    const files = tool.kind === "edit" ? changed : read;
    for (const path of readPaths(withOurNames(tool.input, tool.otherNames ?? {}, input).input)) {
      // The last mention decides the place.
      files.delete(path);
      files.add(path);
    }
  }
  return [...listed("Files changed", changed), ...listed("Files read", read)];
}

const openStepsStart = "Open steps of the plan:";

/** The steps of the newest plan that are not done. Where it was made before an earlier compaction, they stand in that summary. */
function listOpenSteps(messages: readonly ModelMessage[]): readonly string[] {
  const written = messages.flatMap(listCalls).findLast(({ name }) => findTool([todoWriteTool], name) !== undefined);
  if (written === undefined) {
    const summaries = messages.flatMap((each) =>
      each.role === "user" && isSummary(each) ? [joinText(each.content)] : [],
    );
    return (
      summaries
        .at(-1)
        ?.split("\n\n")
        .filter((part) => part.startsWith(openStepsStart)) ?? []
    );
  }
  const open = planFromTodos(written.input)?.entries.filter(({ status }) => status !== "completed") ?? [];
  return open.length === 0
    ? []
    : [[openStepsStart, ...open.map(({ content, status }) => `- ${content} (${status})`)].join("\n")];
}

const fileTools: readonly Tool[] = [readTool, writeTool, editTool, applyPatchTool];

/** Of an input with a path, or with a patch. */
function readPaths(input: unknown): readonly string[] {
  const { path, input: patch }: { path?: unknown; input?: unknown } = typeof input === "object" ? { ...input } : {};
  if (typeof path === "string") return [path];
  const parsed = typeof patch === "string" ? parsePatch(patch) : { problem: "" };
  return "files" in parsed ? parsed.files.map((file) => file.path) : [];
}

function listed(title: string, files: ReadonlySet<string>): readonly string[] {
  return files.size === 0 ? [] : [`${title}: ${[...files].slice(-maxNamedFiles).join(", ")}`];
}

function listCalls(message: ModelMessage): readonly { readonly name: string; readonly input: unknown }[] {
  return message.role === "assistant" ? message.content.filter((part) => part.type === "tool_call") : [];
}

function joinText(content: readonly UserPart[]): string {
  return content.map((part) => (part.type === "text" ? part.text : `[${part.type}]`)).join("\n");
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
  const maxLength = chooseWindow(model) * 2;
  const text =
    transcript.length > maxLength
      ? `${transcript.slice(0, maxLength / 2)}\n[…]\n${transcript.slice(-maxLength / 2)}`
      : transcript;
  const request = {
    system: messages.some((message) => message.role === "user" && isSummary(message))
      ? updateInstructions
      : instructions,
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
      else if (event.type === "retry" || event.type === "restart") summary = "";
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
      return `${isSummary(message) ? "NOTES SO FAR" : "USER"}: ${joinText(message.content)}`;
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
          return `RESULT ${name}: ${joinText(content).slice(0, maxToolText)}`;
        })
        .join("\n");
  }
}

function summarizeWithoutModel(messages: readonly ModelMessage[]): string {
  const earlier = messages.flatMap((message) =>
    message.role === "user" && isSummary(message) ? [joinText(message.content)] : [],
  );
  const called = messages
    .flatMap(listCalls)
    .map(({ name, input }) => `- ${name} ${JSON.stringify(input).slice(0, 200)}`);
  return [...earlier, "These tools were called, in order:", ...called.slice(-100)].join("\n");
}
