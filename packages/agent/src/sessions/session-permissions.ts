// This module decides about a call: plan mode first, then the user's rules, then whether it only reads, then the person at the client.
import { homedir } from "node:os";
import {
  decide,
  decideSandboxed,
  describeEscalation,
  describeSubject,
  followLinks,
  isNetworkOfCommand,
  parseRule,
  type Rule,
  type Subject,
  suggestRule,
  usualPrefix,
  type WrittenRule,
} from "@signalbox/rules";
import { nameInFolder, realPathsNow, resolveInFolder } from "@signalbox/sandbox";
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
import type { ModeId } from "./modes.ts";

interface PermissionsOptions {
  readonly client: PermissionRequests;
  readonly rules: readonly WrittenRule[];
  readonly mode: () => ModeId;
  readonly tools: () => readonly Tool[];
  /** Whether commands that the sandbox holds run without asking now. */
  readonly autoAllowSandboxed: () => Promise<boolean>;
  /** The session's folder. */
  readonly cwd: string;
}

/** The name under which rules can mean our agent. */
const ourName = "signalbox";

type NamedRule = Rule & WrittenRule;

export class SessionPermissions implements CallPermissions {
  readonly #options: PermissionsOptions;
  readonly #rules: readonly NamedRule[];
  readonly #person: PermissionHandler;
  /** The real paths of the call that changes something and is worked on now. There is one at a time. */
  #changing: readonly string[] = [];
  /** The real paths that a person let be read. */
  readonly #readable = new Set<string>();

  constructor(options: PermissionsOptions) {
    this.#options = options;
    this.#rules = options.rules.map((rule) => ({ ...rule, terms: parseRule(rule.match) ?? [] }));
    this.#person = new ClientPermissionHandler(options.client, {
      store: new MemoryPermissionStore(),
      rememberAs: topic,
    });
  }

  forbids(request: PermissionRequest): string | null {
    return this.#forbiddenByMode(request) ?? this.#findProhibition(request, readSubject(request));
  }

  asksAboutReading(request: PermissionRequest): boolean {
    const { decision, rule } = decide(this.#rules, { ...readSubject(request), kind: "read" });
    return decision === "ask" && rule !== undefined;
  }

  #forbiddenByMode(request: PermissionRequest): string | null {
    if (this.#options.mode() !== "plan" || this.#onlyReads(request)) return null;
    return `${request.tool} was not run: the session is in plan mode, where nothing is changed. Describe what you would do.`;
  }

  #findProhibition(request: PermissionRequest, subject: Subject): string | null {
    if (!this.#onlyReads(request)) this.#changing = subject.targets;
    const { decision, rule } = decide(this.#rules, subject);
    if (decision !== "deny") return null;
    return `${request.tool} was not run: a rule forbids it (deny ${rule?.match}). Find another way, or ask the user.`;
  }

  decide(request: PermissionRequest): PermissionDecision | Promise<PermissionDecision> {
    const forbidden = this.#forbiddenByMode(request);
    if (forbidden !== null) return deny(forbidden);
    // Once: a link that is changed all the time must not be one file for the rules and another for the person.
    const subject = readSubject(request);
    const denied = this.#findProhibition(request, subject);
    if (denied !== null) return deny(denied);
    const { decision, rule } = decide(this.#rules, subject);
    const isFree = decision === "allow" || (rule === undefined && this.#onlyReads(request));
    if (isFree) return allow();
    return this.#findTool(request)?.isSandboxed === true
      ? this.#decideCommand(request, subject)
      : this.#askPerson(request, subject.targets);
  }

  async #decideCommand(request: PermissionRequest, subject: Subject): Promise<PermissionDecision> {
    const isFree =
      decideSandboxed(this.#rules, subject).decision === "allow" && (await this.#options.autoAllowSandboxed());
    return isFree ? allow() : await this.#askPerson(request, subject.targets);
  }

  /**
   * Why a file that was opened, or that will be written, is not what was decided about; null when it is. A link may have been changed since
   * the decision.
   */
  refusal(realPath: string, kind: "read" | "edit"): string | null {
    const { cwd } = this.#options;
    const path = nameInFolder(realPath, cwd);
    const place = { agentId: ourName, threadId: "", cwd, home: homedir() };
    const { decision, rule } = decide(this.#rules, {
      ...describeSubject({ kind }, place),
      paths: [path],
      targets: [path],
    });
    if (decision === "deny") return `${path} was not opened: a rule forbids it (deny ${rule?.match}).`;
    const isDecided = this.#changing.includes(path) || (kind === "read" && this.#readable.has(path));
    const isFree = decision === "allow" || (kind === "read" && rule === undefined);
    return isDecided || isFree
      ? null
      : `${path} is not the file that was asked about. Something changed the way to it; look again.`;
  }

  async #askPerson(request: PermissionRequest, paths: readonly string[]): Promise<PermissionDecision> {
    const decision = await this.#person.decide(request);
    if (decision.allowed && this.#onlyReads(request)) for (const path of paths) this.#readable.add(path);
    return decision;
  }

  #onlyReads(request: PermissionRequest): boolean {
    return this.#findTool(request)?.readOnly === true;
  }

  #findTool({ tool }: PermissionRequest): Tool | undefined {
    return this.#options.tools().find(({ name }) => name === tool);
  }
}

function readSubject(request: PermissionRequest): Subject {
  const { tool: name, kind, title, args: rawInput, locations, content, cwd, sessionId } = request;
  const place = { agentId: ourName, threadId: sessionId, cwd, home: homedir() };
  const subject = describeSubject({ name, kind, title, rawInput, locations, content }, place);
  const realPath = realPathsNow();
  return followLinks(subject, (path) => resolveInFolder(path, cwd, realPath));
}

/**
 * Returns the subject of an "always": commands that begin like this one, this host, or else the tool. A call that no rule could name, such as a
 * command in another folder, is remembered with all of its arguments.
 */
function topic(request: PermissionRequest): string {
  const { tool, args } = request;
  const subject = readSubject(request);
  const { command, hosts, escalation } = subject;
  if (command === undefined && hosts.length === 0) return tool;
  if (suggestRule(subject) === undefined) return `${tool} ${JSON.stringify(args)}`;
  if (command === undefined) return `${tool} ${hosts.join(" ")}`;
  if (escalation !== undefined) return `${tool} ${describeEscalation(escalation)}: ${command}`;
  const prefix = usualPrefix(command);
  const commands = prefix === undefined ? command : `${prefix} *`;
  return isNetworkOfCommand(subject) ? `the network for ${commands}` : `${tool}: ${commands}`;
}
