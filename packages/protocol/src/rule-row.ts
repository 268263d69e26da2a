// This type is a permission rule as the host lists it.
import type { RuleDecision, RuleScope } from "@signalbox/rules";
import type { Open } from "./acp.ts";

export type RuleRow = {
  readonly id: string;
  readonly decision: RuleDecision;
  /** The terms as text: `command:git *`. */
  readonly match: string;
  /** Where it came from: the user's config, a project's config, a command-line flag, an answer that was remembered, or one for the running turn. */
  readonly source: Open<"user_config" | "project_config" | "flag" | "remembered" | "turn">;
  /** A thread's id or a folder's path that it is limited to. */
  readonly scope: RuleScope | null;
  readonly created_at: number | null;
  /** Since the host was started, like the two below. */
  readonly last_matched_at: number | null;
  /** The last match: the command, the paths or the tool, and its thread. */
  readonly last_match: { readonly text: string; readonly thread_id: string } | null;
  readonly match_count: number;
};
