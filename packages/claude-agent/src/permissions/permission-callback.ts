// Claude Code asks here before it runs a tool, and the person decides through the client. No decision is a no: an error, a client that is gone, an
// answer that was not offered.
import type { PermissionOption } from "@agentclientprotocol/sdk";
import type { Elicitations } from "@signalbox/agent-kit";
import {
  deniedByNoPerson,
  describeClaudeTool,
  type PermissionRequests,
  readComment,
  unansweredByNoPerson,
} from "@signalbox/tool-calls";
import type { CanUseTool, PermissionContext, PermissionMode, PermissionResult } from "../sdk/sdk.ts";
import { parseClientTool, serverName } from "../tools/client-tools.ts";
import type { SessionToolCalls } from "../updates/session-tool-calls.ts";
import { askForm } from "./elicitations.ts";
import { decideOwnTool, type OwnToolPlace } from "./own-tools.ts";
import { deniedMessage, planAnswers, toolAnswers } from "./permission-options.ts";
import { formAnswers, optionAnswer, questionForm, questionOptions, readQuestions } from "./questions.ts";

interface PermissionCallbackOptions {
  readonly sessionId: string;
  readonly client: PermissionRequests;
  readonly calls: SessionToolCalls;
  /** How things stand now. */
  readonly place: () => OwnToolPlace;
  readonly modes: readonly PermissionMode[];
  /** Null where the client shows no forms. */
  readonly elicitations: Elicitations | null;
}

type Input = Record<string, unknown>;

/** Null where there is no answer. */
type ChosenOption =
  | {
      readonly optionId: string | null;
      readonly comment?: string | undefined;
      /** Why it was denied, where no person did it. */
      readonly denied?: string | undefined;
      /** Why there is no answer, where no person declined it. */
      readonly unanswered?: string | undefined;
    }
  | "cancelled";

type Answers =
  /** By the question. */
  | { readonly found: Readonly<Record<string, string>> }
  /** Why there are none, for the model. */
  | { readonly missing: string }
  | "cancelled";

const declined = "The user did not want to answer.";

const cancelled: PermissionResult = { behavior: "deny", message: "The user cancelled.", interrupt: true };

export function permissionCallback(options: PermissionCallbackOptions): CanUseTool {
  const { calls, modes, place } = options;

  return async (toolName, input, context) => {
    calls.announce({ id: context.toolUseID, name: toolName, input });
    const result = await decide(toolName, input, context);
    if (result.behavior === "allow") calls.start(context.toolUseID);
    return result;
  };

  async function decide(toolName: string, input: Input, context: PermissionContext): Promise<PermissionResult> {
    if (toolName === "AskUserQuestion") return await askQuestions(input, context);
    const own = parseClientTool(toolName);
    if (own !== null && isSignalboxServer(context)) {
      const decision = decideOwnTool(own, input, place());
      if (decision.type === "allow") return { behavior: "allow", updatedInput: input };
      if (decision.type === "deny") return { behavior: "deny", message: decision.message };
    }
    const suggestions = context.suppressAlwaysAllowRule === true ? [] : (context.suggestions ?? []);
    const answers = toolName === "ExitPlanMode" ? planAnswers(modes) : toolAnswers(suggestions);
    const chosen = await ask({ toolName, input, context, options: answers.map(({ option }) => option) });
    if (chosen === "cancelled") return cancelled;
    const answer = answers.find(({ option }) => option.optionId === chosen.optionId);
    const result = answer?.result(input) ?? { behavior: "deny", message: deniedMessage };
    if (result.behavior !== "deny") return result;
    if (chosen.denied !== undefined) return { behavior: "deny", message: chosen.denied };
    if (chosen.comment === undefined) return result;
    return { ...result, message: `${result.message} They said: ${chosen.comment}` };
  }

  async function askQuestions(input: Input, context: PermissionContext): Promise<PermissionResult> {
    const questions = readQuestions(input);
    if (questions.length === 0) return { behavior: "deny", message: "There is no question with options in this." };
    const answers = options.elicitations?.form === true ? await byForm(options.elicitations) : await oneByOne();
    if (answers === "cancelled") return cancelled;
    if ("missing" in answers) return { behavior: "deny", message: answers.missing };
    return { behavior: "allow", updatedInput: { ...input, answers: answers.found } };

    async function byForm(elicitations: Elicitations): Promise<Answers> {
      const message = questions.map(({ text }) => text).join("\n");
      const toolCallId = context.toolUseID;
      const question = { sessionId: options.sessionId, toolCallId, message, requestedSchema: questionForm(questions) };
      const answer = await askForm(elicitations, question, context.signal);
      if (answer.type === "accept") {
        const found = formAnswers(questions, answer.content);
        return found === null ? { missing: declined } : { found };
      }
      if (answer.unanswered !== undefined) return { missing: answer.unanswered };
      return answer.type === "decline" ? { missing: declined } : "cancelled";
    }

    async function oneByOne(): Promise<Answers> {
      const found: Record<string, string> = {};
      for (const question of questions) {
        const offered = {
          toolName: "AskUserQuestion",
          input,
          context,
          title: question.text,
          options: questionOptions(question),
        };
        const chosen = await ask(offered);
        if (chosen === "cancelled") return "cancelled";
        const answer = optionAnswer(question, chosen.optionId);
        if (answer === null) return { missing: chosen.unanswered ?? declined };
        found[question.text] = answer;
      }
      return { found };
    }
  }

  async function ask(question: {
    toolName: string;
    input: Input;
    context: PermissionContext;
    options: readonly PermissionOption[];
    title?: string;
  }): Promise<ChosenOption> {
    const { toolName, input, context } = question;
    const {
      name,
      kind,
      title,
      locations,
      content: known,
    } = calls.announce({ id: context.toolUseID, name: toolName, input });
    // Claude Code puts the plan that it has in a file into the question, and takes what the model wrote out of it.
    const { content } = describeClaudeTool(toolName, input, place().cwd);
    const toolCall = {
      toolCallId: context.toolUseID,
      name,
      kind,
      title: question.title ?? title,
      status: "pending" as const,
      rawInput: input,
      locations,
      content: content.length > 0 ? content : known,
      _meta: { claudeCode: { toolName } },
    };
    try {
      const { outcome } = await options.client.requestPermission(
        { sessionId: options.sessionId, toolCall, options: [...question.options] },
        { signal: context.signal },
      );
      if (outcome.outcome !== "selected") return "cancelled";
      return {
        optionId: outcome.optionId,
        comment: readComment(outcome),
        denied: deniedByNoPerson(outcome),
        unanswered: unansweredByNoPerson(outcome),
      };
    } catch {
      return context.signal.aborted ? "cancelled" : { optionId: null };
    }
  }
}

/** Any server may call itself `acp`; only the SDK says which one is in this process. */
function isSignalboxServer({ mcpServer }: PermissionContext): boolean {
  return mcpServer?.source === "sdk" && mcpServer.name === serverName;
}
