// This module runs commands for agents that do so through the client: in the sandbox, by the rules, live in the register.
import { randomUUID } from "node:crypto";
import {
  type CreateTerminalRequest,
  type CreateTerminalResponse,
  RequestError,
  type TerminalExitStatus,
  type TerminalOutputResponse,
} from "@agentclientprotocol/sdk";
import { type Fact, type JsonObject, messageOf, type RunAgainRow } from "@signalbox/protocol";
import { type Escalation, escalationKey, quoteArguments, readEscalation } from "@signalbox/rules";
import {
  type CommandOptions,
  type CommandResult,
  describeDenial,
  describeEnding,
  runCommand,
  type SandboxRights,
  withMoreRights,
} from "@signalbox/sandbox";
import { redactText, terminalDenialsMeta } from "@signalbox/tool-calls";
import { canClosePaths, closePaths } from "./closed-paths.ts";
import { describeRunAgain } from "./describe-question.ts";
import { OutputTail } from "./output-tail.ts";
import { planCommand } from "./planned-command.ts";
import { realPath } from "./real-paths.ts";
import type { PlannedAction } from "./require-permission.ts";
import { refuseCommand } from "./sandbox-refusal.ts";
import { TerminalItem } from "./terminal-item.ts";
import type { ThreadContext } from "./thread-context.ts";

/** How much of the output an agent can read back when it names no limit. */
const defaultByteLimit = 1024 * 1024;

interface Terminal {
  readonly tail: OutputTail;
  readonly stop: AbortController;
  readonly ended: Promise<TerminalExitStatus>;
  exit: TerminalExitStatus | null;
}

interface Command {
  /** For a person. */
  readonly line: string;
  /** A line for a shell, or a program and its arguments. */
  readonly command: string | readonly [string, ...string[]];
  readonly folder: string;
  readonly rights: SandboxRights;
  readonly env: Readonly<Record<string, string>>;
}

const killed: TerminalExitStatus = { exitCode: null, signal: "SIGKILL" };

/** A person reads it. */
const maxReasonLength = 1000;

/** A command that a person let run again. */
interface RanAgain {
  readonly line: string;
  readonly ended: Promise<{ readonly ending: string; readonly output: string }>;
}

/**
 * A command that a person may run again: with their own environment, and of the agent's variables with those that they chose. `shown` is what they have
 * to see first.
 */
export interface CommandAgain {
  readonly shown: RunAgainRow;
  run(): Promise<RanAgain>;
}

/** Commands that can be run again: as they were, with their folder and environment. */
const maxKept = 200;

export class Terminals {
  readonly #kept = new Map<string, Command>();
  readonly #thread: ThreadContext;
  readonly #terminals = new Map<string, Terminal>();
  #isEnding = false;

  constructor(thread: ThreadContext) {
    this.#thread = thread;
  }

  async create(params: CreateTerminalRequest): Promise<CreateTerminalResponse> {
    const { command, args = [], env = [], outputByteLimit } = params;
    const line = args.length === 0 ? command : quoteArguments([command, ...args]);
    const folder = realPath(this.#thread, params.cwd ?? this.#thread.place.cwd);
    const escalation = this.#readEscalation(params);
    const rights = this.#findRights(escalation);
    const planned = planCommand(this.#thread.place, { line, folder, env, escalation });
    // A command that asks for more rights does not run in the sandbox as it is.
    const isSandboxed =
      escalation === undefined &&
      this.#thread.sandbox.autoAllowSandboxed &&
      (await canClosePaths(this.#thread, planned.subject));
    const item = await this.#openItem({ ...planned, isSandboxed }, rights, folder);
    // Some agents send a whole shell line as the command. Rules read it as one, so anything that a shell reads differently goes to a shell.
    const asLine = args.length === 0 && /[\s;&|<>$`'"*?(){}~\\]/.test(command);
    const variables = Object.fromEntries(env.map(({ name, value }) => [name, value]));
    const terminalId = await this.#start(
      { line, command: asLine ? command : [command, ...args], folder, rights, env: variables },
      item,
      outputByteLimit ?? defaultByteLimit,
    );
    return { terminalId };
  }

  /** Throws for a command that is not known any more, or already ran without a sandbox. */
  prepareAgain(terminalId: string, asked: Escalation, variables: readonly string[]): CommandAgain {
    const kept = this.#kept.get(terminalId);
    if (kept === undefined) {
      const why =
        "This command ran before the agent was started, or too many came after it. Ask the agent to run it again.";
      throw RequestError.invalidRequest({ terminalId }, why);
    }
    if (kept.rights.enforcement.kind === "off")
      throw RequestError.invalidRequest(undefined, "This command ran without a sandbox.");
    const { line, folder } = kept;
    const escalation = asked.folder === undefined ? asked : { ...asked, folder: realPath(this.#thread, asked.folder) };
    const rights = this.#findRights(escalation);
    const chosen = Object.entries(kept.env).filter(([name]) => variables.includes(name));
    const env = chosen.map(([name, value]) => ({ name, value }));
    const { subject, description } = planCommand(this.#thread.place, { line, folder, env, escalation });
    const all = Object.entries(kept.env).map(([name, value]) => ({ name, shown: redactText(`${name}=${value}`) }));
    return {
      shown: { ...describeRunAgain(this.#thread, subject), variables: all },
      run: () => this.#runAgain({ ...kept, env: Object.fromEntries(chosen), rights }, description),
    };
  }

  async #runAgain(command: Command, description: JsonObject): Promise<RanAgain> {
    const item = await TerminalItem.open(this.#thread, description);
    const id = await this.#start(command, item, defaultByteLimit);
    const ended = this.waitForExit(id).then(async ({ exitCode, signal }) => {
      const { output } = this.output(id);
      await this.release(id);
      const ending = typeof signal === "string" ? `It was ended by ${signal}.` : `It ended with exit code ${exitCode}.`;
      return { ending, output };
    });
    return { line: command.line, ended };
  }

  /**
   * Runs a line that the project's config names, in the thread's folder, until it ends or the turn is cancelled. In the sandbox it needs no
   * permission unless a rule speaks about it; without one it does. Throws when it is refused, which the timeline shows.
   */
  async runConfigured(line: string): Promise<void> {
    const { place, sandbox } = this.#thread;
    const isSandboxed = sandbox.enforcement.kind !== "off" && sandbox.policy.mode !== "rwx";
    const rights = this.#findRights(undefined);
    const planned = planCommand(place, { line, folder: place.cwd });
    const item = await this.#openItem({ ...planned, isSandboxed }, rights, place.cwd);
    const command = { line, command: line, folder: place.cwd, rights, env: {} };
    const terminalId = await this.#start(command, item, defaultByteLimit);
    const onAbort = () => void this.release(terminalId).catch(() => {});
    const signal = this.#thread.permissions.turn.signal;
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    await this.waitForExit(terminalId);
    signal.removeEventListener("abort", onAbort);
  }

  /** Puts the command on the timeline. Throws when the sandbox, a rule or a person refuses it; the item then says why. */
  async #openItem(action: PlannedAction, rights: SandboxRights, folder: string): Promise<TerminalItem> {
    const item = await TerminalItem.open(this.#thread, action.description);
    const refused = refuseCommand(rights, folder);
    if (refused !== undefined) {
      await item.fail(refused);
      throw RequestError.invalidRequest({ cwd: folder }, refused);
    }
    await item.requirePermission(action);
    return item;
  }

  async #start(kept: Command, item: TerminalItem, byteLimit: number): Promise<string> {
    // An agent that is being stopped can still ask; nothing would end a command that it starts now.
    if (this.#isEnding) {
      const reason = "The session is being closed.";
      await item.fail(reason);
      throw RequestError.invalidRequest(undefined, reason);
    }
    const { line, command, folder, env } = kept;
    const { subject } = planCommand(this.#thread.place, { line, folder });
    const rights = await closePaths(this.#thread, subject, kept.rights);
    const terminalId = `terminal-${randomUUID()}`;
    this.#record({ type: "terminal_created", terminal_id: terminalId, command: line, cwd: folder });
    item.begin(terminalId);
    const tail = new OutputTail(byteLimit);
    const stop = new AbortController();
    const running = this.#run({
      enforcement: rights.enforcement,
      policy: rights.policy,
      secretNames: this.#thread.sandbox.secretNames,
      command,
      cwd: folder,
      env: { ...this.#thread.sandbox.getVariables(rights), ...env },
      signal: stop.signal,
      onOutput: (text) => {
        tail.append(text);
        this.#record({ type: "terminal_output", terminal_id: terminalId, text });
      },
    });
    // The end of a command may not be recordable. The end of the turn then closes its item.
    const ended = this.#finish(terminalId, running, tail).catch(() => killed);
    const terminal: Terminal = { tail, stop, exit: null, ended };
    const onEnd = (exit: TerminalExitStatus) => {
      terminal.exit = exit;
      item.end(exit);
    };
    void ended.then(onEnd).catch(() => {});
    this.#terminals.set(terminalId, terminal);
    this.#kept.set(terminalId, kept);
    for (const [oldest] of this.#kept) if (this.#kept.size > maxKept) this.#kept.delete(oldest);
    return terminalId;
  }

  async #run(options: CommandOptions): Promise<CommandResult> {
    const { loopback, refusedHosts } = this.#thread.sandbox;
    if (loopback === undefined || options.enforcement.kind === "off") return await runCommand(options);
    const shared = await loopback.open().catch((error: unknown) => new Error(messageOf(error)));
    if (typeof shared !== "string") return { ended: "refused", code: "cannot_start", message: shared.message };
    if (typeof options.policy.network === "string") return await runCommand({ ...options, loopback: shared });
    using refused = refusedHosts.watch();
    return await runCommand({ ...options, loopback: shared, refusedHosts: refused.hosts });
  }

  /** Reads which rights the command asks for beyond the thread's sandbox. Throws when they are badly written. */
  #readEscalation({ _meta }: CreateTerminalRequest): Escalation | undefined {
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
  #findRights(escalation: Escalation | undefined): SandboxRights {
    const { sandbox } = this.#thread;
    const rights = escalation === undefined ? sandbox : withMoreRights(sandbox, escalation);
    if (typeof rights === "string") throw RequestError.invalidRequest({ [escalationKey]: true }, rights);
    return rights;
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
    return { ...this.#ended(terminalId, tail, readExit(result)), ...describeDenials(result) };
  }

  /** Its output could not be recorded, so it was ended. */
  #failed(terminalId: string, tail: OutputTail, reason: string): TerminalExitStatus {
    this.#appendNotice(terminalId, tail, `the command was ended: its output could not be recorded (${reason})`);
    return this.#ended(terminalId, tail, killed);
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
function describeDenials(result: CommandResult): { readonly _meta?: ReturnType<typeof terminalDenialsMeta> } {
  if (result.ended === "refused" || result.denials.length === 0) return {};
  const denied = result.denials.filter(({ what }) => what !== "network").map(describeDenial);
  const network = result.denials.some(({ what }) => what === "network");
  return { _meta: terminalDenialsMeta({ denied, network }) };
}

function readExit(result: CommandResult): TerminalExitStatus {
  switch (result.ended) {
    case "exit":
      return { exitCode: result.exitCode, signal: null };
    case "signal":
      return { exitCode: null, signal: result.signal };
    case "cancelled":
    case "timeout":
    case "limit":
      return killed;
    case "refused":
      return { exitCode: 126, signal: null };
  }
}
