// This module decides about a call: plan mode first, then the user's rules, then whether it only reads, then the person at the client.
import { decide, parseRule, type Rule, type Subject, subjectOf, type WrittenRule } from "@signalbox/rules";
import { realPathOf } from "@signalbox/sandbox";
import {
  allow,
  ClientPermissionHandler,
  deny,
  MemoryPermissionStore,
  type PermissionDecision,
  type PermissionHandler,
  type PermissionRequest,
  type PermissionRequests,
} from "@signalbox/tool-calls";
import type { CallPermissions } from "../loop/turn.ts";
import type { Tool } from "../tools/tool.ts";
import type { ModeId } from "./session-options.ts";

interface PermissionsOptions {
  readonly client: PermissionRequests;
  readonly rules: readonly WrittenRule[];
  readonly mode: () => ModeId;
  readonly tools: () => readonly Tool[];
}

/** The name under which rules can mean our agent. */
const ourName = "signalbox";

type NamedRule = Rule & WrittenRule;

export class SessionPermissions implements CallPermissions {
  readonly #options: PermissionsOptions;
  readonly #rules: readonly NamedRule[];
  readonly #person: PermissionHandler;

  constructor(options: PermissionsOptions) {
    this.#options = options;
    this.#rules = options.rules.map((rule) => ({ ...rule, terms: parseRule(rule.match) ?? [] }));
    this.#person = new ClientPermissionHandler(options.client, {
      store: new MemoryPermissionStore(),
      rememberAs: topic,
    });
  }

  forbids(request: PermissionRequest): string | null {
    if (this.#options.mode() === "plan" && !this.#onlyReads(request)) {
      return `${request.tool} was not run: the session is in plan mode, where nothing is changed. Describe what you would do.`;
    }
    const { decision, rule } = decide(this.#rules, subjectIn(request));
    if (decision !== "deny") return null;
    return `${request.tool} was not run: a rule forbids it (deny ${rule?.match}). Find another way, or ask the user.`;
  }

  decide(request: PermissionRequest): PermissionDecision | Promise<PermissionDecision> {
    const forbidden = this.forbids(request);
    if (forbidden !== null) return deny(forbidden);
    const { decision, rule } = decide(this.#rules, subjectIn(request));
    const isFree = decision === "allow" || (rule === undefined && this.#onlyReads(request));
    return isFree ? allow() : this.#person.decide(request);
  }

  #onlyReads({ tool }: PermissionRequest): boolean {
    return this.#options.tools().find(({ name }) => name === tool)?.readOnly === true;
  }
}

function subjectIn(request: PermissionRequest): Subject {
  const { tool: name, kind, title, args: rawInput, locations, content, cwd, sessionId } = request;
  const place = { agentId: ourName, threadId: sessionId, cwd };
  const subject = subjectOf({ name, kind, title, rawInput, locations, content }, place);
  return { ...subject, paths: [...new Set([...subject.paths, ...realPaths(request)])] };
}

/** Where the call's paths lead: a link is no way around a rule. */
function realPaths({ locations, cwd }: PermissionRequest): readonly string[] {
  const root = realPathOf(cwd);
  return locations.flatMap(({ path }) => {
    const found = realPathOf(path);
    if (!found.found) return [];
    // Rules are written from the session's folder, by the name that it goes by.
    const isInside = root.found && found.path.startsWith(`${root.path}/`);
    return [isInside ? cwd + found.path.slice(root.path.length) : found.path];
  });
}

/** What an "always" is about: this command, this host, otherwise the tool. */
function topic({ tool, args }: PermissionRequest): string {
  const { command, url } = typeof args === "object" && args !== null ? (args as Record<string, unknown>) : {};
  if (typeof command === "string") return `${tool}: ${command}`;
  return typeof url === "string" && URL.canParse(url) ? `${tool} ${new URL(url).host}` : tool;
}
