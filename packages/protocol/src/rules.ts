// A permission rule as people write it: terms joined by commas that must all hold, such as `kind:edit,path:src/**` or `command:git *`.
// The page shows with the same words what an answer would write.
import type { Open } from "./acp.ts";
import type { ToolCallRow } from "./rows.ts";

export type RuleDecision = "allow" | "ask" | "deny";

export type RuleTerm =
  | { readonly type: "all" }
  | { readonly type: "agent" | "kind" | "tool" | "path" | "command"; readonly pattern: string };

/** How far an answer reaches: this question, this thread, every thread in this folder, everything. */
export type RememberScope = "once" | "thread" | "folder" | "always";

export type RuleRow = {
  readonly id: string;
  readonly decision: RuleDecision;
  /** The terms as text: `command:git *`. */
  readonly match: string;
  /** Where it came from: the user's config, a project's config, a command-line flag, an answer that was remembered. */
  readonly source: Open<"user_config" | "project_config" | "flag" | "remembered">;
  /** A thread's id or a folder's path that it is limited to. */
  readonly scope: { readonly type: "thread" | "folder"; readonly id: string } | null;
  readonly created_at: number | null;
  /** Since the host was started, like the two below. */
  readonly last_matched_at: number | null;
  /** What it spoke about last: the command, the paths or the tool, and where. */
  readonly last_match: { readonly text: string; readonly thread_id: string } | null;
  readonly match_count: number;
};

const terms = ["agent", "kind", "tool", "path", "command"] as const;

/** Null when the text is no rule: an unknown word, an empty pattern. Commas inside a pattern are written `\,`. */
export function parseRule(text: string): readonly RuleTerm[] | null {
  const parts = text.split(/(?<!\\),/).map((part) => part.trim().replaceAll("\\,", ","));
  const parsed = parts.map((part): RuleTerm | null => {
    if (part === "all") return { type: "all" };
    const at = part.indexOf(":");
    const type = terms.find((term) => term === part.slice(0, at));
    const pattern = part.slice(at + 1).trim();
    return type === undefined || pattern === "" ? null : { type, pattern };
  });
  return parsed.every((term) => term !== null) ? parsed : null;
}

export function formatRule(rule: readonly RuleTerm[]): string {
  return rule
    .map((term) => (term.type === "all" ? "all" : `${term.type}:${term.pattern.replaceAll(",", "\\,")}`))
    .join(",");
}

/** The rule that remembering an answer to this tool call would write: the narrowest that covers the same thing again. */
export function ruleFor(
  toolCall: Pick<ToolCallRow, "kind" | "name" | "title" | "raw_input" | "locations">,
  agentId: string,
): string {
  const agent: RuleTerm = { type: "agent", pattern: agentId };
  const command = commandOf(toolCall.raw_input);
  if (command !== null) return formatRule([agent, { type: "command", pattern: escapePattern(command) }]);
  const [location] = toolCall.locations;
  const kind: RuleTerm = { type: "kind", pattern: toolCall.kind };
  if (location !== undefined) return formatRule([agent, kind, { type: "path", pattern: escapePattern(location.path) }]);
  if (toolCall.name !== null) return formatRule([agent, { type: "tool", pattern: escapePattern(toolCall.name) }]);
  return formatRule([agent, kind]);
}

/** The command line inside a tool call's input, as agents spell it. */
export function commandOf(input: unknown): string | null {
  if (typeof input !== "object" || input === null) return null;
  const { command, cmd } = input as { command?: unknown; cmd?: unknown };
  const given = command ?? cmd;
  if (typeof given === "string") return given;
  return Array.isArray(given) && given.every((word) => typeof word === "string") ? given.join(" ") : null;
}

/** What stands in the rule is meant literally: only a person writes wildcards. */
function escapePattern(text: string): string {
  return text.replaceAll(/[*?\\]/g, "\\$&");
}
