// Declares how a session and a prompt are asked for.
import type { JsonObject } from "@signalbox/protocol";
import type { ChosenSettings } from "./choose-settings.ts";

export interface SubmittedPrompt {
  readonly turn_id: string;
  readonly queued: boolean;
  /** Whether it went into the running turn; undefined where that was not asked for. */
  readonly steered?: boolean;
}

export interface PromptOptions {
  /** Into the running turn, where the agent takes it. */
  readonly steers?: boolean | undefined;
  /** For the agent, with the prompt. */
  readonly meta?: JsonObject | undefined;
  /** For this prompt only. */
  readonly model?: string | undefined;
}

export interface NewSession extends ChosenSettings {
  readonly agent_id: string;
  readonly cwd: string;
  readonly title?: string | undefined;
  readonly mcp_servers?: readonly JsonObject[] | undefined;
  readonly additional_directories?: readonly string[] | undefined;
  /** In a worktree of its own: on this branch, or on a new one. */
  readonly worktree?: { readonly branch?: string | undefined } | undefined;
  /** Whether the whole agent runs inside the sandbox; undefined: as the config and the agent's row say. */
  readonly sandbox?: boolean | undefined;
  /** `_meta` of an ACP client, for the agent. */
  readonly meta?: JsonObject | undefined;
}
