// Runs one prompt: a slash command, or a turn of the chosen model after its context window has been checked.

import { randomUUID } from "node:crypto";
import type { ContentBlock, PlanEntry, StopReason } from "@agentclientprotocol/sdk";
import { SerialQueue } from "@signalbox/base";
import type { Config } from "@signalbox/config";
import { describePutAside, settleMadeSettings } from "@signalbox/sandbox";
import { messageOf, untilAborted } from "@signalbox/tool-calls";
import { type CompactedPart, compactHistory } from "../loop/compaction.ts";
import { fitContent } from "../loop/fit-content.ts";
import type { History } from "../loop/history.ts";
import type { Steering } from "../loop/steering.ts";
import { runSubAgent } from "../loop/sub-agent.ts";
import type { CallPermissions, Turn, TurnOutput } from "../loop/turn.ts";
import { runTurn } from "../loop/turn-loop.ts";
import type { Model, ModelMessage, UserPart } from "../providers/model.ts";
import { chooseRoute } from "../routing/choose-route.ts";
import { isForReading, type Tool } from "../tools/tool.ts";
import type { SessionClient } from "./client.ts";
import { type Command, findCommand, helpText, isServerCommand, type SlashWord } from "./commands.ts";
import { runMcpCommand } from "./mcp-command.ts";
import type { ModeId } from "./modes.ts";
import { promptText, userParts } from "./prompt-content.ts";
import type { SessionModels } from "./session-models.ts";
import { chooseThinking, type Settings } from "./session-options.ts";
import type { SessionUpdates } from "./session-updates.ts";
import type { SessionUsage } from "./session-usage.ts";
import type { Toolbox } from "./toolbox.ts";

/** The parts of a session that its prompts work with. */
export interface SessionParts {
  readonly id: string;
  readonly config: Config;
  readonly client: SessionClient;
  readonly models: SessionModels;
  readonly history: History;
  readonly usage: SessionUsage;
  readonly updates: SessionUpdates;
  readonly permissions: CallPermissions;
  readonly steering: Steering;
}

export interface Prompt {
  readonly content: readonly ContentBlock[];
  readonly slashWord: SlashWord | undefined;
  readonly signal: AbortSignal;
}

/** One prompt of a session. */
export interface PromptContext {
  readonly session: SessionParts;
  readonly prompt: Prompt;
  readonly toolbox: Toolbox;
  readonly output: TurnOutput;
  /** The settings of the session as they are now, with the wishes of this prompt. */
  readonly settings: () => Settings;
  readonly chooseModel: (name: string) => void;
  /** Called with the model that answers. */
  readonly onModel: (model: Model) => void;
}

/** Runs the slash command, or asks the model. */
export async function runPrompt(context: PromptContext): Promise<StopReason> {
  const { toolbox, output, session } = context;
  const { content, slashWord, signal } = context.prompt;
  try {
    if (slashWord !== undefined && isServerCommand(slashWord)) await toolbox.ready(output.tracker, signal);
    const command = slashWord === undefined ? undefined : findCommand(slashWord, toolbox.commandSources);
    if (command === undefined) return await runModel(context, userParts(content));
    if (command.type !== "skill" && command.type !== "file" && command.type !== "prompt")
      return await runCommand(context, command);
    const parts = command.type === "prompt" ? await promptContent(command, signal) : await writtenParts(command);
    if (typeof parts !== "string") return await runModel(context, [...parts, ...userParts(content.slice(1))]);
    session.updates.showMessage(parts);
    return "end_turn";
  } catch (error) {
    if (signal.aborted) return "cancelled";
    throw error;
  }
}

/** The text of a skill or a command file, for the model. */
async function writtenParts(command: Command & { type: "skill" | "file" }): Promise<readonly UserPart[]> {
  const texts =
    command.type === "file"
      ? [await command.file.read(command.rest)]
      : [command.rest || `Follow the skill ${command.skill.name}.`, await command.skill.read()];
  return texts.map((text) => ({ type: "text", text }));
}

/** The content that the server returns for its prompt, or a sentence for the person if there is none. */
async function promptContent(
  { prompt, rest }: Command & { type: "prompt" },
  signal: AbortSignal,
): Promise<readonly UserPart[] | string> {
  try {
    const content = await untilAborted(prompt.read(rest, { signal }), signal);
    return content.length === 0 ? `/${prompt.command} is empty.` : content;
  } catch (error) {
    signal.throwIfAborted();
    return `/${prompt.command} failed: ${messageOf(error)}`;
  }
}

async function runCommand(
  context: PromptContext,
  command: Exclude<Command, { type: "skill" | "file" | "prompt" }>,
): Promise<StopReason> {
  const { toolbox, settings } = context;
  const { signal } = context.prompt;
  const { id, client, updates, history, models } = context.session;
  switch (command.type) {
    case "help":
      updates.showMessage(helpText(toolbox.commandSources, toolbox.mcp.servers));
      return "end_turn";
    case "clear":
      history.replace([]);
      toolbox.refreshTools();
      updates.showMessage("Conversation cleared. Your files are unchanged.");
      return "end_turn";
    case "model":
      if (command.name !== "") context.chooseModel(command.name);
      updates.showMessage(modelText(settings(), models, command.name === ""));
      return "end_turn";
    case "mcp":
      updates.showMessage(
        await runMcpCommand(
          {
            mcp: toolbox.mcp,
            sessionId: id,
            elicitations: client.elicitations,
            showMessage: (text) => updates.showMessage(text),
          },
          command.words,
          signal,
        ),
      );
      // What was only looked at has not changed.
      if (command.words.trim() !== "") toolbox.refreshTools();
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

async function runModel(context: PromptContext, parts: readonly UserPart[]): Promise<StopReason> {
  const { toolbox, settings, output } = context;
  const { signal } = context.prompt;
  const { id, config, models, history, permissions, steering } = context.session;
  const before = history.messages;
  try {
    const [{ model, hint }, content] = await Promise.all([pickModel(context), withMentions(context, parts)]);
    context.onModel(model);
    const fitted = await fitContent(content, { model, workspace: toolbox.workspace, signal });
    history.append({ role: "user", content: [...fitted, ...hint] });
    steering.open();
    toolbox.fixTools();
    const turn: Turn = {
      model,
      request: {
        system: toolbox.systemPrompt(settings().mode),
        thinking: chooseThinking(model.facts, settings().thinking),
        maxOutputTokens: models.maxOutputTokens(`${model.provider}:${model.name}`),
        cacheKey: id,
      },
      conversation: {
        history,
        steering,
        compact: async (wanted) => {
          await compact(context, model, wanted, "older");
        },
      },
      tools: {
        list: () => chooseTools(model, settings().mode, toolbox.tools),
        workspace: toolbox.workspace,
        permissions,
        instructionsBelow: (files) => toolbox.instructionsBelow(files),
        ...(toolbox.diagnostics !== undefined && { diagnostics: toolbox.diagnostics }),
        changes: new SerialQueue(),
        runSubAgent: (request, toolCallId) => runSubAgent(turn, request, toolCallId),
      },
      limits: config.limits,
      output,
      signal,
    };
    return await runTurn(turn);
  } catch (error) {
    // A prompt that the provider does not take must not spoil the next one.
    if (!signal.aborted && history.messages.length === before.length + 1) history.replace(before);
    throw error;
  } finally {
    // What came too late for this turn is read with the next prompt.
    for (const content of steering.close()) history.append({ role: "user", content });
    // Background jobs and MCP servers go on after the turn; settings that they made do not stay.
    for (const aside of settleMadeSettings()) output.showNotice(describePutAside(aside));
  }
}

/** With the resources of MCP servers that the prompt mentions. */
async function withMentions(
  { toolbox, output, prompt: { content: prompt, signal } }: PromptContext,
  parts: readonly UserPart[],
): Promise<readonly UserPart[]> {
  await toolbox.ready(output.tracker, signal);
  const { content, problems } = await toolbox.mcp.readMentions(promptText(prompt), { signal });
  for (const problem of problems) output.showNotice(problem);
  return [...parts, ...content];
}

/**
 * Leaves out the tools that a model does not need, because each costs tokens: the way to edit that it is not trained on, and the tool to think where it
 * thinks by itself.
 */
export function chooseTools(
  { name, facts }: Pick<Model, "name" | "facts">,
  mode: ModeId,
  tools: readonly Tool[],
): readonly Tool[] {
  const thinks = (facts.thinkingLevels ?? []).length > 0;
  const needless = new Set([writesPatches(name) ? "edit" : "apply_patch", ...(thinks ? ["thinking"] : [])]);
  return tools.filter((tool) => !needless.has(tool.name) && (isForReading(tool) || mode !== "plan"));
}

/** Whether a model is trained to change files by patches: OpenAI's are since GPT-4.1. No published list of models says it. */
export function writesPatches(model: string): boolean {
  // A routed name such as `openai/gpt-5.5` is known by its last part.
  const name = (model.split("/").at(-1) ?? model).toLowerCase();
  return /^(?:gpt-4\.1|gpt-[5-9]|o[3-9]|codex)/.test(name);
}

/** The model that fits the prompt, and what it should know of how it was chosen. */
async function pickModel(context: PromptContext): Promise<{ model: Model; hint: readonly UserPart[] }> {
  const { settings, output } = context;
  const { content: prompt, signal } = context.prompt;
  const { models, history, usage } = context.session;
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
  return [{ type: "text", text: `[The user was shown this first plan; keep it up to date with todo_write:\n${list}]` }];
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
  const { history, updates, usage, client } = context.session;
  const showsCompactions = client.capabilities.session?.compaction !== undefined;
  const compactionId = randomUUID();
  const show = (status: string, summary?: string) => {
    if (!showsCompactions) return;
    const content = summary === undefined ? {} : { summary: [{ type: "text" as const, text: summary }] };
    updates.show({ sessionUpdate: "compaction_update", compactionId, status, ...content });
  };
  show("in_progress");
  try {
    const done = await compactHistory(history.messages, model, signal, {
      what,
      standing: context.toolbox.standingTexts(),
    });
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
