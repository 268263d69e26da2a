// A permission rule as the host lists it, and what one would have decided.
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

/** Says how a rule alone would have decided past questions. */
export type RuleTestRow = {
  readonly rule: string;
  readonly would_allow: number;
  readonly would_deny: number;
  /** A person would have been asked, because the rule says so or says nothing about it. */
  readonly would_ask: number;
  /** The questions where the rule would have reversed a person's answer. */
  readonly differs: readonly RuleDifference[];
};

export type RuleDifference = {
  readonly thread_id: string;
  readonly permission_id: string;
  readonly title: string;
  readonly was: "allow" | "deny";
  readonly would: "allow" | "deny";
};
