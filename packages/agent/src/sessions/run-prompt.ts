// Runs one prompt: a slash command, or a turn of the chosen model after its context window has been checked.

import { randomUUID } from "node:crypto";
import type { ContentBlock, PlanEntry, StopReason } from "@agentclientprotocol/sdk";
import type { Elicitations } from "@signalbox/agent-kit";
import type { Config } from "@signalbox/config";
import { errorText, untilAborted } from "@signalbox/tool-calls";
import { type CompactedPart, compactHistory } from "../loop/compaction.ts";
import { fitContent } from "../loop/fit-content.ts";
import type { History } from "../loop/history.ts";
import { OneAtATime } from "../loop/one-at-a-time.ts";
import type { Steering } from "../loop/steering.ts";
import { runSubAgent } from "../loop/sub-agent.ts";
import type { CallPermissions, TurnInput, TurnOutput } from "../loop/turn.ts";
import { runTurn } from "../loop/turn-loop.ts";
import type { Model, ModelMessage, UserPart } from "../providers/model.ts";
import { writesPatches } from "../providers/patch-models.ts";
import { chooseRoute } from "../routing/choose-route.ts";
import { isForReading, type Tool } from "../tools/tool.ts";
import { type Command, helpText, mayBePrompt, parseCommand } from "./commands.ts";
import { runMcpCommand } from "./mcp-command.ts";
import type { ModeId } from "./modes.ts";
import { promptText, userParts } from "./prompt-content.ts";
import type { SessionModels } from "./session-models.ts";
import { chooseThinking, type Settings } from "./session-options.ts";
import type { SessionUpdates } from "./session-updates.ts";
import type { SessionUsage } from "./session-usage.ts";
import { usersWord } from "./system-prompt.ts";
import type { Toolbox } from "./toolbox.ts";

/** What of a session a prompt works with. */
export interface PromptContext {
  readonly sessionId: string;
  readonly config: Config;
  readonly history: History;
  readonly models: SessionModels;
  readonly toolbox: Toolbox;
  readonly permissions: CallPermissions;
  readonly updates: SessionUpdates;
  readonly usage: SessionUsage;
  readonly output: TurnOutput;
  readonly steering: Steering;
  readonly elicitations: Elicitations | undefined;
  /** Whether the client shows compactions as such. */
  readonly showsCompactions: boolean;
  readonly settings: () => Settings;
  readonly chooseModel: (name: string) => void;
  /** Called with the model that answers. */
  readonly onModel: (model: Model) => void;
}

export async function runPrompt(
  context: PromptContext,
  prompt: readonly ContentBlock[],
  signal: AbortSignal,
): Promise<StopReason> {
  try {
    return await runCommandOrModel(context, prompt, signal);
  } catch (error) {
    if (signal.aborted) return "cancelled";
    throw error;
  }
}

async function runCommandOrModel(
  context: PromptContext,
  prompt: readonly ContentBlock[],
  signal: AbortSignal,
): Promise<StopReason> {
  const { toolbox, output, updates } = context;
  if (mayBePrompt(prompt)) await toolbox.ready(output.tracker, signal);
  const command = parseCommand(prompt, toolbox.commandSources);
  if (command === undefined) return await runModel(context, userParts(prompt), prompt, signal);
  if (command.type === "prompt") {
    const content = await promptContent(command, signal);
    if (typeof content !== "string")
      return await runModel(context, [...content, ...userParts(prompt.slice(1))], prompt, signal);
    updates.showMessage(content);
    return "end_turn";
  }
  if (command.type !== "skill" && command.type !== "file") return await runCommand(context, command, signal);
  const parts = (await writtenTexts(command)).map((text) => ({ type: "text" as const, text }));
  return await runModel(context, [...parts, ...userParts(prompt.slice(1))], prompt, signal);
}

/** What a skill or a command file says to the model. */
async function writtenTexts(command: Command & { type: "skill" | "file" }): Promise<readonly string[]> {
  if (command.type === "file") return [await command.file.read(command.rest)];
  return [command.rest || `Follow the skill ${command.skill.name}.`, await command.skill.read()];
}

/** What the server makes of its prompt; a sentence where there is nothing for the model. */
async function promptContent(
  { prompt, rest }: Command & { type: "prompt" },
  signal: AbortSignal,
): Promise<readonly UserPart[] | string> {
  try {
    const content = await untilAborted(prompt.read(rest, { signal }), signal);
    return content.length === 0 ? `/${prompt.command} is empty.` : content;
  } catch (error) {
    signal.throwIfAborted();
    return `/${prompt.command} failed: ${errorText(error)}`;
  }
}

async function runCommand(
  context: PromptContext,
  command: Exclude<Command, { type: "skill" | "file" | "prompt" }>,
  signal: AbortSignal,
): Promise<StopReason> {
  const { updates, history, models, settings } = context;
  switch (command.type) {
    case "help":
      updates.showMessage(helpText(context.toolbox.commandSources, context.toolbox.mcp.servers));
      return "end_turn";
    case "clear":
      history.replace([]);
      context.toolbox.refreshTools();
      updates.showMessage("The conversation is forgotten. Files are as they were.");
      return "end_turn";
    case "model":
      if (command.name !== "") context.chooseModel(command.name);
      updates.showMessage(modelText(settings(), models, command.name === ""));
      return "end_turn";
    case "mcp":
      updates.showMessage(
        await runMcpCommand(
          {
            mcp: context.toolbox.mcp,
            sessionId: context.sessionId,
            elicitations: context.elicitations,
            showMessage: (text) => updates.showMessage(text),
          },
          command.words,
          signal,
        ),
      );
      // What was only looked at has not changed.
      if (command.words.trim() !== "") context.toolbox.refreshTools();
      return "end_turn";
    case "compact": {
      const model = await untilAborted(models.open(settings().model ?? models.names.complex), signal);
      if (!(await compact(context, model, signal, "all"))) updates.showMessage("There is nothing to compact yet.");
      return "end_turn";
    }
  }
}

function modelText({ model }: Settings, { names }: SessionModels, listsAll: boolean): string {
  const { fast, complex, known } = names;
  const current = model ?? (fast === complex ? complex : `${fast} for what is simple, ${complex} for the rest`);
  const others = listsAll ? ` Known: ${known.join(", ")}. \`/model NAME\` chooses another.` : "";
  return `The model is ${current}.${others}`;
}

async function runModel(
  context: PromptContext,
  parts: readonly UserPart[],
  prompt: readonly ContentBlock[],
  signal: AbortSignal,
): Promise<StopReason> {
  const { history, toolbox, config, models, settings, permissions, output, steering } = context;
  const before = history.messages;
  try {
    const [{ model, hint }, content] = await Promise.all([
      pickModel(context, prompt, signal),
      withMentions(context, parts, prompt, signal),
    ]);
    context.onModel(model);
    const fitted = await fitContent(content, { model, workspace: toolbox.workspace, signal });
    history.append({ role: "user", content: [...fitted, ...hint] });
    steering.open();
    toolbox.fixTools();
    const turn: TurnInput = {
      model,
      system: toolbox.systemPrompt(settings().mode),
      history,
      tools: () => toolsFor(model, settings().mode, toolbox.tools),
      thinking: chooseThinking(model.facts, settings().thinking),
      cacheKey: context.sessionId,
      maxOutputTokens: models.maxOutputTokens(`${model.provider}:${model.name}`),
      limits: config.limits,
      workspace: toolbox.workspace,
      permissions,
      ...(toolbox.diagnostics !== undefined && { diagnostics: toolbox.diagnostics }),
      instructionsBelow: async (files) => {
        const text = await toolbox.instructionsBelow(files);
        return text === "" ? "" : `[${usersWord}:\n${text}]`;
      },
      output,
      steering,
      signal,
      changes: new OneAtATime(),
      runSubAgent: (request, toolCallId) => runSubAgent(turn, request, toolCallId),
      compact: async (wanted) => {
        await compact(context, model, wanted, "older");
      },
    };
    return await runTurn(turn);
  } catch (error) {
    // A prompt that the provider does not take must not spoil the next one.
    if (!signal.aborted && history.messages.length === before.length + 1) history.replace(before);
    throw error;
  } finally {
    // What came too late for this turn is read with the next prompt.
    for (const content of steering.close()) history.append({ role: "user", content });
  }
}

/** With the resources of MCP servers that the prompt mentions. */
async function withMentions(
  { toolbox, output }: PromptContext,
  parts: readonly UserPart[],
  prompt: readonly ContentBlock[],
  signal: AbortSignal,
): Promise<readonly UserPart[]> {
  await toolbox.ready(output.tracker, signal);
  const { content, problems } = await toolbox.mcp.readMentions(promptText(prompt), { signal });
  for (const problem of problems) output.showNotice(problem);
  return [...parts, ...content];
}

/** What a model does not need would only cost tokens: another way to edit than the one that it is trained on, and a tool to think where it thinks. */
function toolsFor({ name, facts }: Model, mode: ModeId, tools: readonly Tool[]): readonly Tool[] {
  const thinks = (facts.thinkingLevels ?? []).length > 0;
  const needless = new Set([writesPatches(name) ? "edit" : "apply_patch", ...(thinks ? ["thinking"] : [])]);
  return tools.filter((tool) => !needless.has(tool.name) && (isForReading(tool) || mode !== "plan"));
}

/** The model that fits the prompt, and what it should know of how it was chosen. */
async function pickModel(
  context: PromptContext,
  prompt: readonly ContentBlock[],
  signal: AbortSignal,
): Promise<{ model: Model; hint: readonly UserPart[] }> {
  const { models, settings, history, usage, output } = context;
  const { fast, complex } = models.names;
  const chosen = settings().model;
  // Opening one may take asking its server, which may be deaf.
  const open = (name: string) => untilAborted(models.open(name), signal);
  if (chosen !== null || fast === complex) return { model: await open(chosen ?? complex), hint: [] };
  const judge = await open(fast);
  const question = { prompt: promptText(prompt), before: lastText(history.messages) };
  const { route, usage: spent } = await chooseRoute(question, judge, signal);
  if (spent !== null) usage.add(spent, judge);
  if (route.type === "direct") return { model: judge, hint: [] };
  if (route.steps.length > 0) output.tracker.plan({ entries: route.steps.map(planEntry) });
  return { model: await open(complex), hint: planHint(route.steps) };
}

function planEntry(content: string): PlanEntry {
  return { content, priority: "medium", status: "pending" };
}

function planHint(steps: readonly string[]): readonly UserPart[] {
  if (steps.length === 0) return [];
  const list = steps.map((step, index) => `${index + 1}. ${step}`).join("\n");
  return [{ type: "text", text: `[The user was shown this first plan; keep it true with todo_write:\n${list}]` }];
}

function lastText(messages: readonly ModelMessage[]): string {
  const last = messages.findLast((message) => message.role === "assistant");
  return last?.content.map((part) => (part.type === "text" ? part.text : "")).join("") ?? "";
}

/** False when there was nothing to gain. */
async function compact(
  context: PromptContext,
  model: Model,
  signal: AbortSignal,
  what: CompactedPart,
): Promise<boolean> {
  const { history, updates, usage, showsCompactions } = context;
  const compactionId = randomUUID();
  const show = (status: string, summary?: string) => {
    if (!showsCompactions) return;
    const content = summary === undefined ? {} : { summary: [{ type: "text" as const, text: summary }] };
    updates.show({ sessionUpdate: "compaction_update", compactionId, status, ...content });
  };
  show("in_progress");
  try {
    const done = await compactHistory(history.messages, model, signal, what);
    if (done === null) {
      show("cancelled");
      return false;
    }
    if (done.usage !== null) usage.add(done.usage, model);
    history.replace(done.messages);
    context.toolbox.refreshTools();
    show("completed", done.summary);
    updates.showNotice(
      `The conversation was compacted: ${done.replaced} older messages are a summary now. Nothing is lost from the record.`,
    );
    return true;
  } catch (error) {
    show(signal.aborted ? "cancelled" : "failed");
    throw error;
  }
}
