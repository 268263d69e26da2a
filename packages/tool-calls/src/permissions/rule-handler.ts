// This module decides by rules first, then asks another handler. Deny beats ask beats allow, in whatever order the rules stand.
import { homedir } from "node:os";
import type { ToolKind } from "@agentclientprotocol/sdk";
import { decide, describeSubject, parseRule, type Rule, readRuleEntry, type Subject } from "@signalbox/rules";
import { ToolCallError } from "../tool-call-error.ts";
import {
  afterRefusal,
  allow,
  deny,
  type PermissionDecision,
  type PermissionHandler,
  type PermissionRequest,
} from "./permission.ts";

/**
 * A rule applies when everything it names matches; a rule that names nothing applies to every call. It sees the call's locations and
 * the arguments that are named like paths, and does not follow links: a sandbox bounds what a tool can touch. In every pattern `*` and `?`
 * are wildcards and a backslash takes the next letter literally; a pattern has at most 10 wildcards.
 */
export interface PermissionRule {
  readonly decision: "allow" | "ask" | "deny";
  /** The tool's name: `mcp__github__*`. */
  readonly tool?: string;
  /** The kind of an MCP tool is only guessed from its name, so no rule about kinds allows one. */
  readonly kind?: ToolKind;
  /**
   * Paths, from the session's working directory: `src/**`, `/etc/*`. `*` stays inside one folder. To allow, every path of the call
   * must match and there must be one; to ask or deny, one that matches is enough, and a leading `**` matches anywhere.
   */
  readonly path?: string;
  /** The command line: `git *`. To allow, each command of the line must match; to ask or deny, one that the line might run is enough. */
  readonly command?: string;
  /** The host of each address that the call names: `*.example.org`. */
  readonly host?: string;
}

interface NamedRule extends Rule {
  /** The rule in words: `deny path /etc/**`. */
  readonly text: string;
}

export class RulePermissionHandler implements PermissionHandler {
  readonly #rules: readonly NamedRule[];
  readonly #next: PermissionHandler;

  /** `next` decides what the rules leave open, and what they say to ask. */
  constructor(rules: readonly PermissionRule[], next: PermissionHandler) {
    this.#rules = rules.map(readRule);
    this.#next = next;
  }

  decide(request: PermissionRequest): PermissionDecision | Promise<PermissionDecision> {
    const { decision, rule } = decide(this.#rules, readSubject(request));
    switch (decision) {
      case "allow":
        return allow();
      case "ask":
        return this.#next.decide(request);
      case "deny":
        return deny(`${request.tool} was not run: a rule forbids it (${rule?.text}). ${afterRefusal}`);
    }
  }
}

function readRule(rule: PermissionRule): NamedRule {
  const text = JSON.stringify(rule);
  const known = new Set(["decision", "tool", "kind", "path", "command", "host"]);
  const unknown = Object.keys(rule).find((name) => !known.has(name));
  const written = unknown === undefined ? readRuleEntry(rule) : `a rule has no "${unknown}"`;
  const terms = typeof written === "string" ? undefined : parseRule(written.match);
  if (typeof written === "string" || terms === undefined) {
    const why = typeof written === "string" ? written : "it cannot be read";
    throw new ToolCallError("bad_rule", `${text} is no permission rule: ${why}.`);
  }
  const named = Object.entries(rule).flatMap(([name, value]) => (name === "decision" ? [] : [`${name} ${value}`]));
  return { decision: written.decision, terms, text: [written.decision, named.join(", ") || "everything"].join(" ") };
}

function readSubject(request: PermissionRequest): Subject {
  const { tool: name, kind, title, args: rawInput, locations, content, cwd, sessionId } = request;
  const place = { agentId: "", threadId: sessionId, cwd, home: homedir() };
  return describeSubject({ name, kind, title, rawInput, locations, content }, place);
}
