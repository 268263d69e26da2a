// This module decides about a call: plan mode first, then the user's rules, then whether it only reads, then the person at the client.
import { homedir } from "node:os";
import {
  decide,
  followLinks,
  parseRule,
  type Rule,
  ruleFor,
  type Subject,
  subjectOf,
  type WrittenRule,
} from "@signalbox/rules";
import { leadsTo } from "@signalbox/sandbox";
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
  const place = { agentId: ourName, threadId: sessionId, cwd, home: homedir() };
  const subject = subjectOf({ name, kind, title, rawInput, locations, content }, place);
  return followLinks(subject, (path) => leadsTo(path, cwd));
}

/**
 * What an "always" is about: this command or this host, as a remembered rule would name it, otherwise the tool. A call that no rule could
 * name, such as a command in another folder, is remembered with all of its arguments.
 */
function topic(request: PermissionRequest): string {
  const { tool, args } = request;
  const subject = subjectIn(request);
  const { command, hosts } = subject;
  if (command === undefined && hosts.length === 0) return tool;
  if (ruleFor(subject) === undefined) return `${tool} ${JSON.stringify(args)}`;
  return command === undefined ? `${tool} ${hosts.join(" ")}` : `${tool}: ${command}`;
}
