// Who decides about a call: plan mode, then the user's rules, then whether it only reads, then the person at the client.
import {
  allow,
  ClientPermissionHandler,
  deny,
  MemoryPermissionStore,
  type PermissionDecision,
  type PermissionHandler,
  type PermissionRequest,
  type PermissionRequests,
  RulePermissionHandler,
} from "@signalbox/tool-calls";
import type { ConfigRule } from "../config/config.ts";
import type { Tool } from "../tools/tool.ts";
import { commandFits } from "./command-rule.ts";
import type { ModeId } from "./session-options.ts";

export interface PermissionsOptions {
  readonly client: PermissionRequests;
  readonly rules: readonly ConfigRule[];
  readonly mode: () => ModeId;
  readonly tools: () => readonly Tool[];
}

export class SessionPermissions implements PermissionHandler {
  readonly #options: PermissionsOptions;
  readonly #person: PermissionHandler;

  constructor(options: PermissionsOptions) {
    this.#options = options;
    this.#person = new ClientPermissionHandler(options.client, {
      store: new MemoryPermissionStore(),
      rememberAs: topic,
    });
  }

  decide(request: PermissionRequest): PermissionDecision | Promise<PermissionDecision> {
    const { mode, tools } = this.#options;
    const readOnly = tools().find((tool) => tool.name === request.tool)?.readOnly === true;
    if (mode() === "plan" && !readOnly) {
      return deny(
        `${request.tool} was not run: the session is in plan mode, where nothing is changed. Describe what you would do.`,
      );
    }
    const next: PermissionHandler = { decide: (open) => (readOnly ? allow() : this.#person.decide(open)) };
    const rules = this.#options.rules.filter(
      ({ command, decision }) => command === undefined || commandFits(command, request.args, decision),
    );
    const bare = rules.map(({ command: _command, ...rule }) => rule);
    return new RulePermissionHandler(bare, next).decide(request);
  }
}

/** What an "always" is about: this very command, this host, otherwise the tool. */
function topic({ tool, args }: PermissionRequest): string {
  const { command, url } = typeof args === "object" && args !== null ? (args as Record<string, unknown>) : {};
  if (typeof command === "string") return `${tool}: ${command}`;
  return typeof url === "string" && URL.canParse(url) ? `${tool} ${new URL(url).host}` : tool;
}
