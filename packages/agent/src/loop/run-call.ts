// Runs one tool call: validates the input, asks for permission, runs the tool, reports the result. Every path ends the call for the client and
// returns a result for the model.
import type { ToolCallContent, ToolCallLocation } from "@agentclientprotocol/sdk";
import {
  imageContent,
  messageOf,
  type PendingToolCall,
  type RunningToolCall,
  startIfAllowed,
  textContent,
  untilAborted,
} from "@signalbox/tool-calls";
import { z } from "zod";
import type { ToolResultPart } from "../providers/model.ts";
import type { InvalidInput } from "../providers/nearly-json.ts";
import type { Diagnostics } from "../tools/diagnostics.ts";
import { unknownNamesNote } from "../tools/other-names.ts";
import type { ModelContent, Tool, ToolContext, ToolResult } from "../tools/tool.ts";
import { Deadline } from "./deadline.ts";
import { findTool } from "./find-tool.ts";
import { fitContent } from "./fit-content.ts";
import { notRun } from "./history.ts";
import { parseInput } from "./parse-input.ts";
import { shortenContent } from "./shorten-content.ts";
import type { AskedCall, Turn } from "./turn.ts";
import { chooseWindow } from "./usage.ts";

/** How long a tool that ran out of time has to return a result. */
const graceMs = 1000;

export async function runCall(call: AskedCall, tools: readonly Tool[], turn: Turn): Promise<ToolResultPart> {
  const { id, name, pending, invalid } = call;
  const wanted = call.target ?? call;
  const refuse = (why: string): ToolResultPart => {
    pending.fail(why);
    return notRun(id, name, why);
  };
  try {
    if (invalid !== undefined) return refuse(notJson(name, invalid));
    const tool = findTool(tools, wanted.name);
    if (tool === undefined || tool.resolveTarget !== undefined) {
      const listed = tools.filter(({ isUnlisted }) => isUnlisted !== true).map((each) => each.name);
      return refuse(`There is no tool ${wanted.name}. There are: ${listed.join(", ")}.`);
    }
    const checked = parseInput(tool, wanted.input);
    if (!checked.success)
      return refuse(
        `The input of ${wanted.name} is not valid:\n${z.prettifyError(checked.error)}\nCorrect it and call again.`,
      );
    const result = await runChecked({ ...call, input: checked.input }, tool, checked.data, turn);
    return withText(result, unknownNamesNote(tool.name, tool.input, checked.unknown));
  } catch (error) {
    turn.signal.throwIfAborted();
    return refuse(brokenTool(name, error));
  }
}

async function runChecked(call: AskedCall, tool: Tool, checked: unknown, turn: Turn): Promise<ToolResultPart> {
  const { pending } = call;
  const { signal } = turn;
  const { workspace, permissions } = turn.tools;
  const { title, locations, preview } = tool.describe(checked, workspace.cwd);
  const { sessionId, id: toolCallId, cwd } = pending;
  const described = { title, kind: tool.kind, ...(locations !== undefined && { locations }) };
  const request = {
    sessionId,
    toolCallId,
    tool: tool.name,
    args: call.input,
    locations: [],
    content: [],
    cwd,
    signal,
    ...described,
  };
  // Before the preview reads a file: the message of a failed edit must not contain what a rule keeps from the model.
  const forbidden = permissions.forbids(request);
  if (forbidden !== null) {
    pending.update({ rawInput: call.input, ...described });
    pending.deny(forbidden);
    return notRun(call.id, call.name, forbidden);
  }
  const shown = await tool.preview?.(checked, { workspace, signal });
  const refusal = shown !== undefined && "refusal" in shown ? shown.refusal : undefined;
  const content = shown !== undefined && "content" in shown ? shown.content : preview;
  const places = shown !== undefined && "content" in shown ? shown.locations : locations;
  pending.update({
    rawInput: call.input,
    title,
    kind: tool.kind,
    ...(places !== undefined && { locations: places }),
    ...(content !== undefined && content.length > 0 && { content }),
  });
  if (refusal !== undefined && !permissions.asksAboutReading(request)) {
    pending.fail(joinText(refusal.content), makeReport(refusal));
    return await forModel(call, refusal, tool, turn);
  }
  // Before the decision about the edit, which is the last one that may be about files when it is made.
  const paths = places?.map(({ path }) => path) ?? [];
  await findCheckers(tool, turn)?.before(paths, makePermit(pending, turn), signal);
  const running = await startIfAllowed(pending, permissions);
  signal.throwIfAborted();
  if (running.status === "failed") return notRun(call.id, call.name, running.message);
  if (refusal === undefined) return await run(call, tool, checked, places ?? [], running, turn);
  running.fail(joinText(refusal.content), makeReport(refusal));
  return await forModel(call, refusal, tool, turn);
}

async function run(
  call: AskedCall,
  tool: Tool,
  checked: unknown,
  locations: readonly ToolCallLocation[],
  running: RunningToolCall,
  turn: Turn,
): Promise<ToolResultPart> {
  const { limits, signal, output } = turn;
  const limitMs = tool.timeoutMs?.(checked) ?? limits.tool_timeout_s * 1000;
  using deadline = new Deadline(limitMs, signal);
  let result: ToolResult;
  const paths = locations.map(({ path }) => path);
  try {
    const work = tool.execute(checked, makeContext(running, deadline, turn));
    result = await orTimeout(work, deadline, signal, limitMs);
    if (result.isError !== true) {
      const problems = await findCheckers(tool, turn)?.after(paths, makePermit(running, turn), signal);
      result = withText(result, problems ?? "");
    }
  } catch (error) {
    signal.throwIfAborted();
    const why = brokenTool(call.name, error);
    running.fail(why);
    return notRun(call.id, call.name, why);
  }
  if (result.isError === true) running.fail(joinText(result.content), makeReport(result));
  else running.complete(makeReport(result));
  if (result.plan !== undefined) output.tracker.plan(result.plan);
  const instructions = await turn.tools.instructionsBelow(paths);
  return withText(await forModel(call, result, tool, turn), instructions);
}

function withText<Result extends { readonly content: readonly ModelContent[] }>(result: Result, text: string): Result {
  return text === "" ? result : { ...result, content: [...result.content, { type: "text", text }] };
}

function findCheckers(tool: Tool, { tools }: Turn): Diagnostics | undefined {
  return tool.kind === "edit" && tool.preview !== undefined ? tools.diagnostics : undefined;
}

/** Rules decide about a checker as about a command of `bash`. */
function makePermit(call: PendingToolCall | RunningToolCall, { tools, signal }: Turn) {
  const { sessionId, id: toolCallId, cwd } = call;
  return async (command: string): Promise<boolean> => {
    const about = { tool: "bash", kind: "execute", title: `\`${command}\``, args: { command } } as const;
    const place = { sessionId, toolCallId, cwd, locations: [], content: [], signal };
    return (await tools.permissions.decide({ ...about, ...place })).allowed;
  };
}

function makeContext(running: RunningToolCall, deadline: Deadline, turn: Turn): ToolContext {
  const { workspace, permissions, runSubAgent } = turn.tools;
  const { sessionId, id: toolCallId, cwd } = running;
  return {
    ...(runSubAgent !== undefined && { runSubAgent: (request) => runSubAgent(request, toolCallId) }),
    workspace,
    signal: deadline.signal,
    onProgress: (progress, total, message) => running.progress(progress, total, message),
    show: (content) => running.update({ content }),
    toolCallId,
    paused: (work) => deadline.paused(work),
    ask: (question) =>
      deadline.paused(async () => {
        const decision = permissions.decide({
          sessionId,
          toolCallId,
          cwd,
          ...question,
          locations: [],
          content: [],
          signal: running.signal,
        });
        return await untilAborted(Promise.resolve(decision), running.signal);
      }),
  };
}

/** The tool's result, or a timeout when it has none within a second after its time is up. A cancelled turn waits for nothing. */
async function orTimeout(
  work: Promise<ToolResult>,
  deadline: Deadline,
  cancelled: AbortSignal,
  limitMs: number,
): Promise<ToolResult> {
  try {
    return await untilAborted(work, deadline.signal);
  } catch (error) {
    cancelled.throwIfAborted();
    if (!deadline.isOver) throw error;
    const grace = AbortSignal.any([cancelled, AbortSignal.timeout(graceMs)]);
    const late = await untilAborted(work, grace).catch(() => undefined);
    cancelled.throwIfAborted();
    const text = `It took longer than ${limitMs / 1000} seconds and was stopped.`;
    return late ?? { content: [{ type: "text", text }], isError: true };
  }
}

/** For an error in the tool. The model and the person get it, and the turn goes on. */
function brokenTool(name: string, error: unknown): string {
  return `${name} failed: ${messageOf(error)}`;
}

function notJson(name: string, { text, reason }: InvalidInput): string {
  const start = text.length > 500 ? `${text.slice(0, 500)}…` : text;
  return `The input of ${name} is not valid JSON (${reason}), so nothing was run:\n${start}\nSend the whole input again as one JSON object.`;
}

async function forModel(
  { id, name }: AskedCall,
  { content, isError }: ToolResult,
  tool: Tool,
  turn: Turn,
): Promise<ToolResultPart> {
  const { model, signal } = turn;
  const { workspace } = turn.tools;
  const { outputLimit, keepsBothEnds = false } = tool;
  // As many characters as the window has tokens are a quarter of it: of a small window one result must not push out all before it.
  const bound = keepsBothEnds && outputLimit !== undefined ? Math.min(outputLimit, chooseWindow(model)) : outputLimit;
  const limits = { keepsBothEnds, ...(bound !== undefined && { outputLimit: bound }) };
  const short = await shortenContent(content, limits, (text) => workspace.keepOutput(text));
  const kept = await fitContent(short, { model, workspace, signal });
  const filled: readonly ModelContent[] = kept.length === 0 ? [{ type: "text", text: "(no output)" }] : kept;
  return { id, name, content: filled, isError: isError ?? false };
}

/** The person gets the whole result, also where the model gets a truncated one. */
function makeReport({ content, display, locations, rawOutput }: ToolResult): Parameters<PendingToolCall["update"]>[0] {
  return {
    content: display ?? content.flatMap(toToolCallContent),
    ...(locations !== undefined && { locations }),
    ...(rawOutput !== undefined && { rawOutput }),
  };
}

/** Words about the pages of a PDF stand beside it. */
function toToolCallContent(part: ModelContent): readonly ToolCallContent[] {
  switch (part.type) {
    case "text":
      return [textContent(part.text)];
    case "image":
      return [imageContent(part.data, part.mimeType)];
    case "pdf":
      return [];
  }
}

function joinText(content: readonly ModelContent[]): string {
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
}
