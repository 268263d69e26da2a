// What a tool is: a plain object, one file each, with its prose for the model beside it. Validation, permission, limits,
// truncation and reporting happen once, in the executor; no tool does its own.
import type { Plan, ToolCallContent, ToolCallLocation, ToolKind } from "@agentclientprotocol/sdk";
import { ToolFailure } from "@signalbox/agent-kit";
import type { PermissionDecision } from "@signalbox/tool-calls";
import type { z } from "zod";
import type { Workspace } from "./workspace.ts";

export interface Tool<Input = unknown> {
  readonly name: string;
  readonly kind: ToolKind;
  /** For the model: what it does, when to use it, what it returns. */
  readonly description: string;
  /** Checks what the model sent, and tells it the shape as JSON Schema. */
  readonly input: z.ZodType<Input>;
  /** The JSON Schema to tell the model where it is not made from `input`: that of an MCP server's tool. */
  readonly inputSchema?: object;
  /** True when it changes nothing: such calls of one turn run side by side, and run without asking. */
  readonly readOnly: boolean;
  /** True where the same call can bring something new because it waits for something. Others stop the turn when they come three times in a row. */
  readonly repeatable?: boolean;
  /** Characters of text that the model gets; the executor cuts the rest and says so. Absent: not cut. */
  readonly outputLimit?: number;
  /** For the person: what happens to what. Called with checked input. */
  describe(input: Input, cwd: string): ToolDescription;
  /**
   * What would happen, shown in the permission question where it takes the disk to know: the diff of an edit. A refusal is the
   * result of the call, and nobody needs to be asked. Never changes anything.
   */
  preview?(input: Input, context: PreviewContext): Promise<ToolPreview>;
  /** Does it. A failure the model can act on is a result with `isError`; a programming error throws. */
  execute(input: Input, context: ToolContext): Promise<ToolResult>;
}

export interface ToolDescription {
  readonly title: string;
  readonly locations?: readonly ToolCallLocation[];
  /** What would happen, shown in the permission question: the diff of an edit. */
  readonly preview?: readonly ToolCallContent[];
}

export type PreviewContext = Pick<ToolContext, "workspace" | "signal">;

export type ToolPreview =
  | { readonly content: readonly ToolCallContent[]; readonly locations: readonly ToolCallLocation[] }
  | { readonly refusal: ToolResult };

export interface ToolContext {
  readonly workspace: Workspace;
  /**
   * Aborts when the turn is cancelled or the call's time is up (the reason is then a TimeoutError). A tool that has something to
   * show for the time returns it within a second after the abort; whoever waits longer loses it.
   */
  readonly signal: AbortSignal;
  readonly onProgress: (progress: number, total?: number, message?: string) => void;
  /** Shows something while the tool still works: a command's output so far. */
  readonly show: (content: readonly ToolCallContent[]) => void;
  /** Asks for something that the permission of the call does not cover: the network for a command. No answer is a no. */
  readonly ask: (question: PermissionQuestion) => Promise<PermissionDecision>;
}

/** One more permission in the middle of a call. Rules see it as a call of `tool` with this kind and these arguments. */
export interface PermissionQuestion {
  readonly tool: string;
  readonly kind: ToolKind;
  readonly title: string;
  readonly args: unknown;
}

/** What the model reads. */
export type ModelContent =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly data: string; readonly mimeType: string };

export interface ToolResult {
  readonly content: readonly ModelContent[];
  /** What the person sees where that differs from what the model reads: a diff, a terminal. */
  readonly display?: readonly ToolCallContent[];
  readonly locations?: readonly ToolCallLocation[];
  readonly rawOutput?: unknown;
  readonly isError?: boolean;
  /** The plan that the client is to show from now on. */
  readonly plan?: Plan;
}

/** Keeps the input's own type while checking the shape, and makes a result of every ToolFailure that is thrown inside. */
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

/** A result that tells the model what went wrong. */
export function failed(text: string): ToolResult {
  return { content: [{ type: "text", text }], isError: true };
}

export function said(text: string): ToolResult {
  return { content: [{ type: "text", text }] };
}
