// Rules first, then another handler. Deny beats ask beats allow, in whatever order the rules stand.
import { resolve } from "node:path";
import type { ToolKind } from "@agentclientprotocol/sdk";
import { absolutePath, pathArguments } from "../describe/path-arguments.ts";
import { ToolCallError } from "../tool-call-error.ts";
import { nameGlob, pathGlob } from "./glob.ts";
import { allow, deny, type PermissionDecision, type PermissionHandler, type PermissionRequest } from "./permission.ts";

/**
 * A rule applies when everything it names fits; a rule that names nothing applies to every call. It sees the call's locations and
 * the arguments that are named like paths, and does not follow links: what a tool can touch is for a sandbox to bound.
 */
export interface PermissionRule {
  readonly decision: "allow" | "ask" | "deny";
  /** The tool's name; `*` is any text: `mcp__github__*`. */
  readonly tool?: string;
  readonly kind?: ToolKind;
  /**
   * Paths, from the session's working directory: `src/**`, `/etc/*`. `*` stays inside one folder. To allow, every path of the call
   * must fit and there must be one; to ask or deny, one that fits is enough.
   */
  readonly path?: string;
}

export class RulePermissionHandler implements PermissionHandler {
  readonly #rules: readonly CompiledRule[];
  readonly #next: PermissionHandler;

  /** `next` decides what the rules leave open, and what they say to ask. */
  constructor(rules: readonly PermissionRule[], next: PermissionHandler) {
    this.#rules = rules.map(compile);
    this.#next = next;
  }

  decide(request: PermissionRequest): PermissionDecision | Promise<PermissionDecision> {
    const applying = this.#rules.filter((rule) => rule.applies(request));
    const denying = applying.find((rule) => rule.decision === "deny");
    if (denying !== undefined)
      return deny(
        `${request.tool} was not run: a rule forbids it (${denying.text}). Find another way, or ask the user.`,
      );
    const allowed = applying.length > 0 && applying.every((rule) => rule.decision === "allow");
    return allowed ? allow() : this.#next.decide(request);
  }
}

interface CompiledRule {
  readonly decision: PermissionRule["decision"];
  /** The rule as a person would write it. */
  readonly text: string;
  applies(request: PermissionRequest): boolean;
}

function compile(rule: PermissionRule): CompiledRule {
  const { decision, tool, kind, path } = rule;
  const text = JSON.stringify(rule);
  if (!["allow", "ask", "deny"].includes(decision)) {
    throw new ToolCallError(
      "bad_rule",
      `The decision of a permission rule is "allow", "ask" or "deny", not as in ${text}.`,
    );
  }
  // A misspelt name would make the rule apply to everything.
  const unknown = Object.keys(rule).find((name) => !["decision", "tool", "kind", "path"].includes(name));
  if (unknown !== undefined) {
    throw new ToolCallError(
      "bad_rule",
      `A permission rule has no "${unknown}", only decision, tool, kind and path: ${text}.`,
    );
  }
  const toolPattern = tool === undefined ? undefined : nameGlob(tool);
  return {
    decision,
    text,
    applies: (request) =>
      (toolPattern === undefined || toolPattern.test(request.tool)) &&
      (kind === undefined || kind === request.kind) &&
      (path === undefined || pathsFit(request, path, decision)),
  };
}

function pathsFit(request: PermissionRequest, path: string, decision: PermissionRule["decision"]): boolean {
  const { locations, args, cwd } = request;
  const pattern = pathGlob(withSlashes(resolve(cwd, path)));
  const fits = (each: { readonly path: string }) => pattern.test(withSlashes(absolutePath(each.path, cwd)));
  const named = pathArguments(args);
  if (decision !== "allow") return locations.some(fits) || named.some(fits);
  return locations.length > 0 && locations.every(fits) && named.every(fits);
}

function withSlashes(path: string): string {
  return path.replaceAll("\\", "/");
}
