// Who decides about a call: plan mode, then the user's rules, then whether it only reads, then the person at the client.
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
  type PermissionRule,
  RulePermissionHandler,
} from "@signalbox/tool-calls";
import type { ConfigRule } from "../config/config.ts";
import type { CallPermissions } from "../loop/turn.ts";
import type { Tool } from "../tools/tool.ts";
import { commandFits } from "./command-rule.ts";
import type { ModeId } from "./session-options.ts";

export interface PermissionsOptions {
  readonly client: PermissionRequests;
  readonly rules: readonly ConfigRule[];
  readonly mode: () => ModeId;
  readonly tools: () => readonly Tool[];
}

export class SessionPermissions implements CallPermissions {
  readonly #options: PermissionsOptions;
  readonly #person: PermissionHandler;

  constructor(options: PermissionsOptions) {
    this.#options = options;
    this.#person = new ClientPermissionHandler(options.client, {
      store: new MemoryPermissionStore(),
      rememberAs: topic,
    });
  }

  forbids(request: PermissionRequest): string | null {
    if (this.#options.mode() === "plan" && !this.#onlyReads(request)) {
      return `${request.tool} was not run: the session is in plan mode, where nothing is changed. Describe what you would do.`;
    }
    const seen = this.#asRulesSee(request);
    const denying = this.#rulesFor(request).find((rule) => rule.decision === "deny" && isDeniedBy(rule, seen));
    return denying === undefined
      ? null
      : `${request.tool} was not run: a rule forbids it (${JSON.stringify(denying)}). Find another way, or ask the user.`;
  }

  decide(request: PermissionRequest): PermissionDecision | Promise<PermissionDecision> {
    const forbidden = this.forbids(request);
    if (forbidden !== null) return deny(forbidden);
    const next: PermissionHandler = {
      decide: () => (this.#onlyReads(request) ? allow() : this.#person.decide(request)),
    };
    return new RulePermissionHandler(this.#rulesFor(request).map(bare), next).decide(this.#asRulesSee(request));
  }

  #onlyReads({ tool }: PermissionRequest): boolean {
    return this.#options.tools().find(({ name }) => name === tool)?.readOnly === true;
  }

  #rulesFor({ args }: PermissionRequest): readonly ConfigRule[] {
    return this.#options.rules.filter(
      ({ command, decision }) => command === undefined || commandFits(command, args, decision),
    );
  }

  /** With where its paths really lead: a link is no way around a rule. */
  #asRulesSee(request: PermissionRequest): PermissionRequest {
    if (!this.#options.rules.some(({ path }) => path !== undefined)) return request;
    const { cwd } = request;
    const root = realPathOf(cwd);
    const real = request.locations.flatMap(({ path }) => {
      const found = realPathOf(path);
      if (!found.found) return [];
      // Rules are written from the session's folder, by the name that it goes by.
      const isInside = root.found && found.path.startsWith(`${root.path}/`);
      return [{ path: isInside ? cwd + found.path.slice(root.path.length) : found.path }];
    });
    return { ...request, locations: [...request.locations, ...real] };
  }
}

function isDeniedBy(rule: ConfigRule, request: PermissionRequest): boolean {
  const decision = new RulePermissionHandler([bare(rule)], { decide: allow }).decide(request);
  return "allowed" in decision && !decision.allowed;
}

/** Without what was looked at already. */
function bare({ command: _command, ...rule }: ConfigRule): PermissionRule {
  return rule;
}

/** What an "always" is about: this very command, this host, otherwise the tool. */
function topic({ tool, args }: PermissionRequest): string {
  const { command, url } = typeof args === "object" && args !== null ? (args as Record<string, unknown>) : {};
  if (typeof command === "string") return `${tool}: ${command}`;
  return typeof url === "string" && URL.canParse(url) ? `${tool} ${new URL(url).host}` : tool;
}
