// This module decides about a call: plan mode first, then the user's rules, then whether it only reads, then the person at the client. What the person
// refuses stays refused until the turn ends: the same by other means is asked about again, and commands cannot change the refused paths.
import { homedir } from "node:os";
import {
  decide,
  decideSandboxed,
  describeEscalation,
  describeSubject,
  followLinks,
  isNetworkOfCommand,
  listPathClosures,
  parseRule,
  type Rule,
  type Subject,
  suggestRule,
  TurnRefusals,
  usualPrefix,
  type WrittenRule,
} from "@signalbox/rules";
import { type ClosedPath, findClosedPaths, nameInFolder, realPathsNow, resolveInFolder } from "@signalbox/sandbox";
import {
  afterRefusal,
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
import type { CommandLine } from "../tools/commands/sandbox-options.ts";
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
  /** The folders in which rules close paths to commands: the session's, if not given. */
  readonly roots?: () => readonly string[];
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
  readonly #refusals = new TurnRefusals();

  constructor(options: PermissionsOptions) {
    this.#options = options;
    this.#rules = options.rules.map((rule) => ({ ...rule, terms: parseRule(rule.match) ?? [] }));
    this.#person = new ClientPermissionHandler(options.client, {
      store: new MemoryPermissionStore(),
      rememberAs: topic,
    });
  }

  /** A refusal holds until the next prompt. */
  beginTurn(): void {
    this.#refusals.clear();
  }

  /** The paths that are closed to this command, or to a program of ours: by the rules, and by refusals of this turn. */
  async findClosedPaths(line?: CommandLine): Promise<readonly ClosedPath[]> {
    return (await this.#searchPaths(line)).paths;
  }

  #searchPaths(line?: CommandLine) {
    const { cwd, roots = () => [cwd] } = this.#options;
    const place = { agentId: ourName, threadId: "", cwd, home: homedir() };
    const refused = this.#refusals.paths.map((path): ClosedPath => ({ path, access: "read", name: "refused" }));
    return findClosedPaths(roots(), listPathClosures(this.#rules, place, line), refused);
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
    return `${request.tool} was not run: a rule forbids it (deny ${rule?.match}). ${afterRefusal}`;
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
    if (this.#refusals.covers(subject)) return this.#askPerson(request, subject);
    if (isFree) return allow();
    return this.#findTool(request)?.isSandboxed === true
      ? this.#decideCommand(request, subject)
      : this.#askPerson(request, subject);
  }

  async #decideCommand(request: PermissionRequest, subject: Subject): Promise<PermissionDecision> {
    const isFree =
      decideSandboxed(this.#rules, subject).decision === "allow" &&
      (await this.#options.autoAllowSandboxed()) &&
      // In a folder with too many files, something may be open that a rule closes.
      (await this.#searchPaths()).isComplete;
    return isFree ? allow() : await this.#askPerson(request, subject);
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

  async #askPerson(request: PermissionRequest, subject: Subject): Promise<PermissionDecision> {
    const decision = await this.#person.decide(request);
    // A command without the network does something else than with it.
    if (!isNetworkOfCommand(subject)) this.#refusals.record(subject, decision.allowed);
    if (decision.allowed && this.#onlyReads(request)) for (const path of subject.targets) this.#readable.add(path);
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

/** The same to a person: whichever the model uses, it changes files of the session. */
const editTools: ReadonlySet<string> = new Set(["edit", "write", "apply_patch"]);

/**
 * Returns the subject of an "always": all edits, commands that begin like this one, this host, or else the tool. A call that no rule could name, such as a
 * command in another folder, is remembered with all of its arguments.
 */
function topic(request: PermissionRequest): string {
  const { tool, args } = request;
  if (editTools.has(tool)) return "edits";
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
