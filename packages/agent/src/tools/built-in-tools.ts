// The tools of our agent, one line each.
import type { Tool } from "./tool.ts";

export interface BuiltInToolsOptions {
  /** Lets `fetch` reach private, loopback and link-local addresses. */
  readonly privateAddresses?: boolean;
  /** Without it there is no `web_search`. */
  readonly webSearch?: WebSearchEndpoint;
  /** Without any there is no `skill`. */
  readonly skills?: readonly SkillText[];
}

export interface WebSearchEndpoint {
  readonly engine: "searxng" | "brave";
  readonly url: string;
  /** Brave wants one. */
  readonly apiKey?: string;
}

/** What the `skill` tool needs of a skill. */
export interface SkillText {
  readonly name: string;
  readonly description: string;
  /** The skill's instructions, read when they are needed. */
  readonly read: () => Promise<string>;
}

export function builtInTools(_options: BuiltInToolsOptions): readonly Tool[] {
  return [];
}
