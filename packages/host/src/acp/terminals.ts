// This module runs commands for agents that do so through the client: in the sandbox, by the rules, live in the register.
import { randomUUID } from "node:crypto";
import {
  type CreateTerminalRequest,
  type CreateTerminalResponse,
  type EnvVariable,
  RequestError,
  type TerminalExitStatus,
  type TerminalOutputResponse,
} from "@agentclientprotocol/sdk";
import { type Fact, type JsonObject, makeToolCall, messageOf } from "@signalbox/protocol";
import {
  describeEscalation,
  describeSubject,
  type Escalation,
  escalationKey,
  isHarmlessVariable,
  quoteArguments,
  readEscalation,
  unwrapCommand,
} from "@signalbox/rules";
import {
  type CommandOptions,
  type CommandResult,
  describeDenial,
  describeEnding,
  type HeldBy,
  runCommand,
  withMoreRights,
} from "@signalbox/sandbox";
import { redactText, terminalDenialsMeta } from "@signalbox/tool-calls";
import { OutputTail } from "./output-tail.ts";
import { realPath } from "./real-paths.ts";
import { refusedCommand } from "./refused-anyway.ts";
import { requirePermission, type ShownAt } from "./require-permission.ts";
import { recordUpdate, type ServedThread } from "./served-thread.ts";
import { TerminalCard } from "./terminal-card.ts";

/** How much of the output an agent can read back when it names no limit. */
const defaultByteLimit = 1024 * 1024;

interface Terminal {
  readonly tail: OutputTail;
  readonly stop: AbortController;
  readonly card: TerminalCard;
  readonly ended: Promise<TerminalExitStatus>;
  exit: TerminalExitStatus | null;
}

interface AllowedCommand {
  /** For a person. */
  readonly line: string;
  /** A line for a shell, or a program and its arguments. */
  readonly command: string | readonly [string, ...string[]];
  readonly folder: string;
  readonly rights: HeldBy;
  readonly shown: JsonObject;
  readonly at: ShownAt | null;
}

/** A person reads it. */
const maxReasonLength = 1000;

interface WantedCommand {
  readonly command: string;
  readonly folder: string;
  readonly env?: readonly EnvVariable[];
  readonly escalation?: Escalation | undefined;
  /** The sandbox holds it: it needs no permission unless a rule speaks about it. */
  readonly isEnclosed?: boolean;
}

/** A command that a person let run again. */
export interface RanAgain {
  readonly line: string;
  readonly ended: Promise<{ readonly ending: string; readonly output: string }>;
}

/** Commands that can be run again: as they were, with their folder and environment. */
const maxKept = 200;

interface KeptCommand extends Pick<AllowedCommand, "line" | "command" | "folder" | "rights"> {
  readonly env: Readonly<Record<string, string>>;
}

export class Terminals {
  readonly #kept = new Map<string, KeptCommand>();
  readonly #thread: ServedThread;
  readonly #terminals = new Map<string, Terminal>();
  #isEnding = false;

  constructor(thread: ServedThread) {
    this.#thread = thread;
  }

  async create(params: CreateTerminalRequest): Promise<CreateTerminalResponse> {
    const { command, args = [], env = [], outputByteLimit } = params;
    const line = args.length === 0 ? command : quoteArguments([command, ...args]);
    const folder = realPath(this.#thread, params.cwd ?? this.#thread.place.cwd);
    const escalation = this.#escalationIn(params);
    const rights = this.#rightsFor(escalation);
    const refused = refusedCommand(rights, folder);
    if (refused !== undefined) throw RequestError.invalidRequest({ cwd: folder }, refused);
    // What asks for more is not held by the sandbox as it is.
    const isEnclosed = escalation === undefined && this.#thread.runsUnasked;
    const { shown, at } = await this.#requirePermission({ command: line, folder, env, escalation, isEnclosed });
    // Some agents send a whole shell line as the command. Rules read it as one, so whatever a shell reads differently goes to a shell.
    const asLine = args.length === 0 && /[\s;&|<>$`'"*?(){}~\\]/.test(command);
    const variables = Object.fromEntries(env.map(({ name, value }) => [name, value]));
    const terminalId = this.#start(
      { line, command: asLine ? command : [command, ...args], folder, rights, shown, at },
      variables,
      {
        byteLimit: outputByteLimit ?? defaultByteLimit,
      },
    );
    return { terminalId };
  }

  /** Throws for a command that is not known any more, or already ran without a sandbox. */
  runAgain(terminalId: string, asked: Escalation): RanAgain {
    const kept = this.#kept.get(terminalId);
    if (kept === undefined) {
      const why =
        "This command ran before the agent was started, or too many came after it. Ask the agent to run it again.";
      throw RequestError.invalidRequest({ terminalId }, why);
    }
    if (kept.rights.enforcement.kind === "off")
      throw RequestError.invalidRequest(undefined, "This command ran without a sandbox.");
    const { line, command, folder, env } = kept;
    const escalation = asked.folder === undefined ? asked : { ...asked, folder: realPath(this.#thread, asked.folder) };
    const rights = this.#rightsFor(escalation);
    const title = `\`${unwrapCommand(line).line}\` ${describeEscalation(escalation)}`;
    const shown = { title, kind: "execute", rawInput: { command: line, escalate: escalation } };
    const limit = { byteLimit: defaultByteLimit };
    const id = this.#start({ line, command, folder, rights, shown, at: null }, env, limit);
    const ended = this.waitForExit(id).then(async ({ exitCode, signal }) => {
      const { output } = this.output(id);
      await this.release(id);
      const ending = typeof signal === "string" ? `It was ended by ${signal}.` : `It ended with exit code ${exitCode}.`;
      return { ending, output };
    });
    return { line, ended };
  }

  /**
   * Runs a line that the project's config names, in the thread's folder, until it ends or the turn is cancelled. In the sandbox it needs no
   * permission unless a rule speaks about it; without one it does. Throws when it is refused, which the timeline shows.
   */
  async runConfigured(line: string): Promise<void> {
    const { enforcement, policy, place } = this.#thread;
    const refused = refusedCommand(this.#thread, place.cwd);
    if (refused !== undefined) {
      const call = { toolCallId: `signalbox-${randomUUID()}`, title: `\`${line}\``, kind: "execute", status: "failed" };
      const content = [{ type: "content", content: { type: "text", text: refused } }];
      recordUpdate(this.#thread, makeToolCall({ ...call, content }));
      throw RequestError.invalidRequest({ cwd: place.cwd }, refused);
    }
    const isEnclosed = enforcement.kind !== "off" && policy.mode !== "rwx";
    const { shown, at } = await this.#requirePermission({ command: line, folder: place.cwd, isEnclosed });
    const rights = this.#rightsFor(undefined);
    const limit = { byteLimit: defaultByteLimit };
    const terminalId = this.#start({ line, command: line, folder: place.cwd, rights, shown, at }, {}, limit);
    const onAbort = () => void this.release(terminalId);
    const signal = this.#thread.turnSignal();
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    await this.waitForExit(terminalId);
    signal.removeEventListener("abort", onAbort);
  }

  #start(
    { line, command, folder, rights, shown, at }: AllowedCommand,
    env: Readonly<Record<string, string>>,
    { byteLimit }: { readonly byteLimit: number },
  ): string {
    // An agent that is being stopped can still ask; nothing would end what it starts now.
    if (this.#isEnding) throw RequestError.invalidRequest(undefined, "The session is being closed.");
    const terminalId = `terminal-${randomUUID()}`;
    this.#record({ type: "terminal_created", terminal_id: terminalId, command: line, cwd: folder });
    const card = new TerminalCard(this.#thread, terminalId, shown);
    card.open(at);
    const tail = new OutputTail(byteLimit);
    const stop = new AbortController();
    const running = this.#run({
      enforcement: rights.enforcement,
      policy: rights.policy,
      secretNames: this.#thread.secretNames,
      command,
      cwd: folder,
      env: { ...this.#thread.commandVariables(rights), ...env },
      signal: stop.signal,
      onOutput: (text) => {
        tail.append(text);
        this.#record({ type: "terminal_output", terminal_id: terminalId, text });
      },
    });
    const terminal: Terminal = { tail, stop, card, exit: null, ended: this.#finish(terminalId, running, tail) };
    void terminal.ended.then((exit) => {
      terminal.exit = exit;
      card.end(exit);
    });
    this.#terminals.set(terminalId, terminal);
    this.#kept.set(terminalId, { line, command, folder, rights, env });
    for (const [oldest] of this.#kept) if (this.#kept.size > maxKept) this.#kept.delete(oldest);
    return terminalId;
  }

  async #run(options: CommandOptions): Promise<CommandResult> {
    const { loopback, refusedHosts } = this.#thread;
    if (loopback === undefined || options.enforcement.kind === "off") return await runCommand(options);
    const shared = await loopback.open().catch((error: unknown) => new Error(messageOf(error)));
    if (typeof shared !== "string") return { ended: "refused", code: "cannot_start", message: shared.message };
    if (typeof options.policy.network === "string") return await runCommand({ ...options, loopback: shared });
    using refused = refusedHosts.watch();
    return await runCommand({ ...options, loopback: shared, refusedHosts: refused.hosts });
  }

  /** What the command asks for beyond the sandbox of the thread. Throws when that is not written as it should be. */
  #escalationIn({ _meta }: CreateTerminalRequest): Escalation | undefined {
    const asked = _meta?.[escalationKey];
    if (asked === undefined || asked === null) return undefined;
    const read = readEscalation(asked);
    if (typeof read === "string") throw RequestError.invalidParams({ [escalationKey]: true }, read);
    const reason = redactText(read.reason).slice(0, maxReasonLength);
    return read.folder === undefined
      ? { ...read, reason }
      : { ...read, reason, folder: realPath(this.#thread, read.folder) };
  }

  /** Throws for what no one could allow. */
  #rightsFor(escalation: Escalation | undefined): HeldBy {
    const { enforcement, policy } = this.#thread;
    const rights = escalation === undefined ? { enforcement, policy } : withMoreRights(this.#thread, escalation);
    if (typeof rights === "string") throw RequestError.invalidRequest({ [escalationKey]: true }, rights);
    return rights;
  }

  /** The environment and the folder decide what a command does: they are part of the question and of the decision. */
  async #requirePermission({
    command,
    folder,
    env = [],
    escalation,
    isEnclosed = false,
  }: WantedCommand): Promise<{ readonly shown: JsonObject; readonly at: ShownAt | null }> {
    const { place } = this.#thread;
    const variables = env.filter(({ name, value }) => !isHarmlessVariable(name, value));
    const isElsewhere = folder !== place.cwd;
    const variablesShown = variables.map(({ name, value }) => redactText(`${name}=${value}`));
    const title = [
      // Without the shell that an agent wraps around it, as the question shows it.
      `\`${unwrapCommand(command).line}\``,
      ...(escalation === undefined ? [] : [describeEscalation(escalation)]),
      ...(isElsewhere ? [`in \`${folder}\``] : []),
      ...(variablesShown.length > 0 ? [`with \`${variablesShown.join(" ")}\``] : []),
    ].join(" ");
    const rawInput = {
      command,
      ...(isElsewhere ? { cwd: folder } : {}),
      ...(variablesShown.length > 0 ? { env: variablesShown } : {}),
      ...(escalation === undefined ? {} : { escalate: escalation }),
    };
    const described = { command, cwd: folder, env, ...(escalation === undefined ? {} : { escalate: escalation }) };
    const subject = describeSubject({ title, kind: "execute", rawInput: described }, place);
    const shown = { title, kind: "execute", rawInput };
    return { shown, at: await requirePermission(this.#thread, { subject, shown, isEnclosed, staysOpen: true }) };
  }

  output(terminalId: string): TerminalOutputResponse {
    const { tail, exit } = this.#find(terminalId);
    return { ...tail.read(), ...(exit === null ? {} : { exitStatus: exit }) };
  }

  waitForExit(terminalId: string): Promise<TerminalExitStatus> {
    return this.#find(terminalId).ended;
  }

  async kill(terminalId: string): Promise<void> {
    const terminal = this.#find(terminalId);
    terminal.stop.abort();
    await terminal.ended;
  }

  async release(terminalId: string): Promise<void> {
    await this.kill(terminalId);
    this.#terminals.get(terminalId)?.card.settle();
    this.#terminals.delete(terminalId);
  }

  /** From now on no command is started. */
  refuseNew(): void {
    this.#isEnding = true;
  }

  async stopAll(): Promise<void> {
    await Promise.all([...this.#terminals.keys()].map((terminalId) => this.release(terminalId)));
  }

  async #finish(terminalId: string, running: Promise<CommandResult>, tail: OutputTail): Promise<TerminalExitStatus> {
    const result = await running.catch((error: unknown) => messageOf(error));
    if (typeof result === "string") return this.#failed(terminalId, tail, result);
    // An ending that is not the command's own says why, where the person and the agent look: in the output.
    // A cancel was wanted: its end says enough.
    if (result.ended !== "exit" && result.ended !== "signal" && result.ended !== "cancelled")
      this.#appendNotice(terminalId, tail, describeEnding(result));
    // A change that was dropped, or why a host was refused, does not show in what the command itself printed.
    for (const denial of result.ended === "refused" ? [] : result.denials.filter(({ isCertain }) => isCertain))
      this.#appendNotice(terminalId, tail, describeDenial(denial));
    return { ...this.#ended(terminalId, tail, exitOf(result)), ...denialsOf(result) };
  }

  /** Its output could not be recorded, so it was ended. */
  #failed(terminalId: string, tail: OutputTail, reason: string): TerminalExitStatus {
    this.#appendNotice(terminalId, tail, `the command was ended: its output could not be recorded (${reason})`);
    return this.#ended(terminalId, tail, { exitCode: null, signal: "SIGKILL" });
  }

  #appendNotice(terminalId: string, tail: OutputTail, message: string): void {
    const text = `\n[${message}]\n`;
    tail.append(text);
    this.#record({ type: "terminal_output", terminal_id: terminalId, text });
  }

  #ended(terminalId: string, tail: OutputTail, exit: TerminalExitStatus): TerminalExitStatus {
    const { exitCode: exit_code = null, signal = null } = exit;
    const { truncated } = tail.read();
    this.#record({ type: "terminal_ended", terminal_id: terminalId, exit_code, signal, truncated });
    return exit;
  }

  #find(terminalId: string): Terminal {
    const terminal = this.#terminals.get(terminalId);
    if (terminal === undefined) throw RequestError.resourceNotFound(terminalId);
    return terminal;
  }

  #record(fact: Fact): void {
    this.#thread.register.append(this.#thread.place.threadId, { type: "fact", fact });
  }
}

/** What the sandbox denied, for an agent that can ask for more. */
function denialsOf(result: CommandResult): { readonly _meta?: ReturnType<typeof terminalDenialsMeta> } {
  if (result.ended === "refused" || result.denials.length === 0) return {};
  const denied = result.denials.filter(({ what }) => what !== "network").map(describeDenial);
  const network = result.denials.some(({ what }) => what === "network");
  return { _meta: terminalDenialsMeta({ denied, network }) };
}

function exitOf(result: CommandResult): TerminalExitStatus {
  switch (result.ended) {
    case "exit":
      return { exitCode: result.exitCode, signal: null };
    case "signal":
      return { exitCode: null, signal: result.signal };
    case "cancelled":
    case "timeout":
    case "limit":
      return { exitCode: null, signal: "SIGKILL" };
    case "refused":
      return { exitCode: 126, signal: null };
  }
}
