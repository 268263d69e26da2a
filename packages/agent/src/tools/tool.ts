// Declares what a tool is: a plain object, one file each, with its description for the model. Validation, permission, limits, truncation and
// reporting happen in the executor, for all tools.
import type { Plan, ToolCallContent, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";
import { type ModelPdf, ToolFailure } from "@signalbox/agent-kit";
import type { Fields } from "@signalbox/rules";
import type { PermissionDecision } from "@signalbox/tool-calls";
import type { z } from "zod";
import type { OtherNames } from "./other-names.ts";
import type { Workspace } from "./workspace.ts";

export interface Tool<Input = unknown> {
  readonly name: string;
  readonly kind: ToolKind;
  /** For the model: what it does, when to use it, what it returns. */
  readonly description: string;
  /** Validates the model's input. The JSON Schema for the model is made from it. */
  readonly input: z.ZodType<Input>;
  /** Names that other agents use for its parameters. */
  readonly otherNames?: OtherNames;
  /** Turns the forms in which other agents take this input into ours, before it is checked. */
  readonly acceptForm?: (input: Fields) => Fields;
  /** In place of a schema made from `input`: that of an MCP server's tool. */
  readonly inputSchema?: object;
  /** True when it changes nothing: such calls run in parallel and need no permission. */
  readonly readOnly: boolean;
  /** True where it runs its `command` in the sandbox of commands; what leaves the sandbox it asks for itself. */
  readonly isSandboxed?: boolean;
  /** True where the same call can bring something new, because it waits for something. Another tool is not run a third time after two equal results. */
  readonly repeatable?: boolean;
  /** True where requests to the model do not list it: the model finds it by a search. */
  readonly isUnlisted?: boolean;
  /** For a tool that only passes a call on: returns the tool to call instead, and its input. */
  readonly resolveTarget?: (input: unknown) => { readonly name: string; readonly input: unknown };
  /** Characters of text that the model gets; the executor truncates the rest. Absent: no limit. */
  readonly outputLimit?: number;
  /** True where the end matters as much as the beginning: the middle is left out, and the whole is kept in a file. */
  readonly keepsBothEnds?: boolean;
  /** How long this call may take; without it, or undefined, as long as any other. */
  timeoutMs?(input: Input): number | undefined;
  /** For the person: what happens to what. Called with validated input. */
  describe(input: Input, cwd: string): ToolDescription;
  /**
   * Returns the effect of the call for the permission question, where it depends on the disk: the diff of an edit. A refusal becomes the result of the
   * call, without a question. Changes nothing.
   */
  preview?(input: Input, context: PreviewContext): Promise<ToolPreview>;
  /** A failure that the model can act on is a result with `isError`; a programming error throws. */
  execute(input: Input, context: ToolContext): Promise<ToolResult>;
}

interface ToolDescription {
  readonly title: string;
  readonly locations?: readonly ToolCallLocation[];
  /** The expected effect, shown in the permission question: the diff of an edit. */
  readonly preview?: readonly ToolCallContent[];
}

export type PreviewContext = Pick<ToolContext, "workspace" | "signal">;

type ToolPreview =
  | { readonly content: readonly ToolCallContent[]; readonly locations: readonly ToolCallLocation[] }
  | { readonly refusal: ToolResult };

export interface ToolContext {
  readonly workspace: Workspace;
  /**
   * Aborts when the turn is cancelled or the call's time is up (the reason is then a TimeoutError). A tool that has a partial result returns it
   * within a second after the abort; later it is lost.
   */
  readonly signal: AbortSignal;
  readonly onProgress: (progress: number, total?: number, message?: string) => void;
  /** Shows something while the tool runs: a command's output so far. */
  readonly show: (content: readonly ToolCallContent[]) => void;
  /** The id of the call on the wire. */
  readonly toolCallId: string;
  /** Waits for a person during the call: that time does not count. */
  readonly paused: <T>(work: () => Promise<T>) => Promise<T>;
  /** Asks for what the permission of the call does not cover: the network for a command. No answer denies. */
  readonly ask: (question: PermissionQuestion) => Promise<PermissionDecision>;
  /** Lets a sub-agent work until it has an answer. Undefined in a sub-agent. */
  readonly runSubAgent?: (request: SubAgentRequest) => Promise<SubAgentResult>;
}

export interface SubAgentRequest {
  readonly prompt: string;
  /** It gets only tools that change nothing. */
  readonly readOnly: boolean;
  readonly signal: AbortSignal;
}

export interface SubAgentResult {
  /** Its last message. */
  readonly text: string;
  /** Why that may not be all; undefined where it is. */
  readonly problem: string | undefined;
}

/** One more permission in the middle of a call. Rules see it as a call of `tool` with this kind and these arguments. */
export interface PermissionQuestion {
  readonly tool: string;
  readonly kind: ToolKind;
  readonly title: string;
  readonly args: unknown;
}

/** Content for the model. */
export type ModelContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly data: string; readonly mimeType: string }
  | ({ readonly type: "pdf" } & ModelPdf);

export interface ToolResult {
  readonly content: readonly ModelContent[];
  /** Content for the person, where it differs: a diff, a terminal. */
  readonly display?: readonly ToolCallContent[];
  readonly locations?: readonly ToolCallLocation[];
  readonly rawOutput?: unknown;
  readonly isError?: boolean;
  /** The plan that the client shows from now on. */
  readonly plan?: Plan;
}

/** They run unasked, but tools that are found by a search may change something, and so does the end of a job. */
const notForReading: ReadonlySet<string> = new Set(["find_tools", "bash_kill"]);

/** Whether one that may change nothing uses it. */
export function isForReading({ name, readOnly }: Tool): boolean {
  return readOnly && !notForReading.has(name);
}

/** Turns every ToolFailure that the tool throws into a result. */
export function tool<Input>(definition: Tool<Input>): Tool<Input> {
  return {
    ...definition,
    execute: (input, context) => definition.execute(input, context).catch(failureResult),
    ...(definition.preview && {
      preview: async (input, context) => {
        try {
          return (await definition.preview?.(input, context)) ?? { content: [], locations: [] };
        } catch (error) {
          return { refusal: failureResult(error) };
        }
      },
    }),
  };
}

function failureResult(error: unknown): ToolResult {
  if (!(error instanceof ToolFailure)) throw error;
  return failed(error.message);
}

/** A result that says what went wrong. */
export function failed(text: string): ToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

export function textResult(text: string): ToolResult {
  return { content: [{ type: "text", text }] };
}
