// Declares a tool of ours: its description for the model, its input, and what it does with the client. It throws `ToolFailure` with a message
// for the model; server.ts announces, starts and ends the call, for all tools.
import type { ToolCallChange } from "@signalbox/tool-calls";
import type { ZodType, z } from "zod";

type Shape = Readonly<Record<string, ZodType>>;

export interface ClientTool {
  /** As Claude Code calls the tool that this one stands for. */
  readonly name: string;
  readonly description: string;
  readonly input: Shape;
  readonly isReadOnly: boolean;
  run(input: unknown, call: CallInProgress): Promise<ToolAnswer>;
}

/** A tool's answer to the model: a text, or images with text. */
export type ToolAnswer = string | readonly ToolAnswerPart[];

export type ToolAnswerPart =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "image"; readonly data: string; readonly mimeType: string };

/** The call that a tool runs for. */
export interface CallInProgress {
  /** Aborts when no one wants the result any more. */
  readonly signal: AbortSignal;
  /** Updates the tool call that the person sees. */
  readonly show: (change: ToolCallChange) => void;
}

export function defineTool<Input extends Shape>(tool: {
  name: string;
  description: string;
  input: Input;
  isReadOnly?: boolean;
  run(input: z.infer<z.ZodObject<Input>>, call: CallInProgress): Promise<ToolAnswer>;
}): ClientTool {
  // The SDK checks the input against the shape before it calls.
  return { isReadOnly: false, ...tool, run: (input, call) => tool.run(input as z.infer<z.ZodObject<Input>>, call) };
}
