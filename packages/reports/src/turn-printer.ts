// Prints a turn from its events: the agent's text to stdout; its notices, one line for each tool call (and why it failed) and the model's name to
// stderr. Gives the outcome for the exit code.
import {
  assertNever,
  type ContentBlock,
  type ElicitationDecided,
  type EventRow,
  type Fact,
  isFact,
  isHostItem,
  isTextBlock,
  type Json,
  type JsonObject,
  listShownTerminals,
  type MessageChunk,
  type PermissionDecided,
  type PermissionRequested,
  readParentCall,
  readUpdate,
  stopReasonText,
  type ToolCallContent,
  type ToolCallFields,
  toFields,
  type Update,
} from "@signalbox/protocol";
import { chooseTitle, hasEnded, mergeToolCall } from "@signalbox/tool-calls";
import { cleanLine, cleanText } from "./clean-text.ts";
import { FailureReasons } from "./failure-reasons.ts";
import type { Layout } from "./layout.ts";
import { formatToolCall } from "./thread-text.ts";

/** The exit code for each outcome of a turn. */
export const turnExitCodes = { ended: 0, denied: 2, failed: 3, limit: 4, noModel: 64, cancelled: 130 } as const;
export type TurnOutcome = keyof typeof turnExitCodes;

export interface PrintedText {
  readonly to: "stdout" | "stderr";
  readonly text: string;
}

interface Call {
  readonly id: string;
  fields: {
    readonly title?: string;
    readonly name?: string;
    readonly kind: string;
    readonly status: string;
    readonly content?: readonly ToolCallContent[];
  };
  readonly startedAt: number;
  isPrinted: boolean;
}

export class TurnPrinter {
  readonly #textLayout: Layout;
  readonly #noteLayout: Layout;
  readonly #deniesQuestions: boolean;
  readonly #calls = new Map<string, Call>();
  readonly #failures = new FailureReasons();
  /** The tool calls that permission was asked for, by the id of the question. */
  readonly #askedCalls = new Map<string, string>();
  /** Calls as their questions describe them, by the id of the call. The host asks about a command's connections before any call is announced. */
  readonly #describedCalls = new Map<string, JsonObject>();
  readonly #deniedCalls = new Set<string>();
  /** Commands of the host that have ended: they are printed with what comes next, unless a call of the agent shows them. */
  #endedItems: Call[] = [];
  /** The agent's questions, by id. */
  readonly #questions = new Map<string, string>();
  readonly #subAgents = new Set<string>();
  #isMidLine = false;
  /** Something else came after the last text, so the next text starts a new paragraph. */
  #isSegmentClosed = false;
  #wasDenied = false;
  /** Whether the agent reported a cost. */
  #hasCost = false;
  #outcome: TurnOutcome | null = null;

  /** Without `waitsForAnswers` the command denies what no rule allows. */
  constructor(options: { readonly stdout: Layout; readonly stderr: Layout; readonly waitsForAnswers: boolean }) {
    this.#textLayout = options.stdout;
    this.#noteLayout = options.stderr;
    this.#deniesQuestions = !options.waitsForAnswers;
  }

  /** Null until the turn has ended. */
  get outcome(): TurnOutcome | null {
    return this.#outcome;
  }

  print({ kind, payload, ts }: EventRow): readonly PrintedText[] {
    if (isFact(payload) && kind === `signalbox/${payload.type}`) return this.#printFact(payload, ts);
    const update = readUpdate(payload);
    return update.kind === kind ? this.#printUpdate(update, ts) : [];
  }

  #printUpdate(update: Update, ts: number): readonly PrintedText[] {
    switch (update.type) {
      case "sub_agent":
        if (update.announced !== null) this.#subAgents.add(update.announced.sessionId);
        return [];
      case "message_chunk":
        if (update.kind === "agent_thought_chunk") this.#isSegmentClosed = true;
        return update.kind !== "agent_message_chunk" || this.#isOfSubAgent(update)
          ? []
          : [...this.#printItems(ts), ...this.#printText(update.content)];
      case "plan":
        this.#isSegmentClosed = true;
        return [];
      case "notice":
        this.#isSegmentClosed = true;
        return this.#isOfSubAgent(update) ? [] : this.#printNotice(update.text);
      case "tool_call":
        if (update.isAnnouncement) this.#isSegmentClosed = true;
        return this.#noteToolCall(update.call, ts);
      case "usage":
        this.#hasCost ||= update.cost !== null;
        return [];
      case "plan_with_id":
      case "mode":
      case "config_options":
      case "commands":
      case "session_info":
      case "session_message":
      case "compaction":
      case "compaction_summary":
      case "other":
      case "malformed":
        return [];
      default:
        return assertNever(update);
    }
  }

  /** A sub-agent's text is not part of the answer, so it is not printed. */
  #isOfSubAgent({ sessionId, fields }: Pick<MessageChunk, "sessionId" | "fields">): boolean {
    const isInItsSession = sessionId !== null && this.#subAgents.has(sessionId);
    return isInItsSession || readParentCall(fields._meta) !== null;
  }

  #printFact(fact: Fact, ts: number): readonly PrintedText[] {
    switch (fact.type) {
      case "thread_created": {
        const { worktree, branch } = fact.git ?? {};
        if (worktree === undefined) return [];
        return [
          { to: "stderr", text: `In the worktree ${cleanLine(worktree)}, on the branch ${cleanLine(branch ?? "")}.\n` },
        ];
      }
      case "permission_requested":
        return this.#askPermission(fact);
      case "permission_decided":
        return this.#printDecision(fact);
      case "elicitation_requested":
        this.#questions.set(fact.elicitation_id, fact.message);
        return this.#printWait(fact.message);
      case "elicitation_decided":
        return this.#printElicitation(fact);
      case "terminal_output":
        this.#failures.addOutput(fact);
        return [];
      case "terminal_ended":
        this.#failures.endTerminal(fact);
        return [];
      case "turn_ended":
        return [...this.#endTurn(ts, toOutcome(fact.stop_reason), fact.stop_reason), ...this.#printModel(fact)];
      case "turn_failed":
        return this.#endTurn(
          ts,
          hasNoModel(fact.error.details) ? "noModel" : "failed",
          fact.error.message || "The agent failed and gave no reason.",
        );
      case "turn_interrupted":
        return this.#endTurn(ts, "failed", fact.reason);
      case "turn_removed":
        return this.#endTurn(ts, "cancelled", "cancelled");
      default:
        return [];
    }
  }

  #printText(content: ContentBlock): readonly PrintedText[] {
    if (!isTextBlock(content) || content.text === "") return [];
    // A file gets the text as it is; a terminal gets it without control sequences.
    const text = this.#textLayout.isTerminal ? cleanText(content.text) : content.text;
    const space = this.#isSegmentClosed && this.#isMidLine ? "\n\n" : "";
    this.#isSegmentClosed = false;
    this.#isMidLine = !text.endsWith("\n");
    return [{ to: "stdout", text: `${space}${text}` }];
  }

  #printNotice(text: string): readonly PrintedText[] {
    return text === "" ? [] : this.#printNote(this.#noteLayout.paint.yellow(cleanText(text)));
  }

  /** Also reports when tokens were used whose price is unknown. */
  #printModel({ model, usage }: Fact & { readonly type: "turn_ended" }): readonly PrintedText[] {
    if (model === undefined) return [];
    const cost = usage === undefined || this.#hasCost ? "" : ", cost not known";
    return this.#printNote(this.#noteLayout.paint.dim(`Model: ${cleanLine(model)}${cost}`));
  }

  #noteToolCall(update: ToolCallFields, ts: number): readonly PrintedText[] {
    const { toolCallId: id } = update;
    const call = this.#calls.get(id) ?? {
      id,
      fields: mergeToolCall({ kind: "other", status: "pending" }, this.#describedCalls.get(id) ?? {}),
      startedAt: ts,
      isPrinted: false,
    };
    this.#calls.set(id, call);
    const { title, name, kind, status, content } = update;
    call.fields = mergeToolCall(call.fields, { title, name, kind, status, content });
    if (!hasEnded(call.fields.status) || call.isPrinted) return [];
    if (!isByHost(call)) return [...this.#printItems(ts), ...this.#printCall(call, ts)];
    call.isPrinted = true;
    this.#endedItems.push(call);
    return [];
  }

  #printItems(ts: number): readonly PrintedText[] {
    const ended = this.#endedItems;
    this.#endedItems = [];
    return ended.filter((item) => !this.#isShownByAgent(item)).flatMap((item) => this.#printCall(item, ts));
  }

  #isShownByAgent({ fields: { content = [] } }: Call): boolean {
    const terminals = listShownTerminals(content);
    return [...this.#calls.values()].some(
      (call) =>
        !isByHost(call) &&
        listShownTerminals(call.fields.content ?? []).some((terminal) => terminals.includes(terminal)),
    );
  }

  #printCall(call: Call, ts: number): readonly PrintedText[] {
    call.isPrinted = true;
    const { id, fields, startedAt } = call;
    const times = { created_at: startedAt, started_at: startedAt, ended_at: ts, waited_ms: 0 };
    const line = formatToolCall({ ...fields, ...times, title: chooseTitle(fields) }, this.#noteLayout);
    const { kind, status, content = [] } = fields;
    // A denied call has a line of its own already.
    const isUnexplained = status === "failed" && !this.#deniedCalls.has(id);
    const reason = isUnexplained ? this.#failures.explain({ kind, content }) : undefined;
    return [...this.#printNote(line), ...(reason === undefined ? [] : this.#printNote(`  ${reason}`))];
  }

  #askPermission({ permission_id, tool_call, subject }: PermissionRequested): readonly PrintedText[] {
    if (tool_call !== null) {
      const { toolCallId, title, name, kind } = tool_call;
      this.#askedCalls.set(permission_id, toolCallId);
      this.#describedCalls.set(toolCallId, { title, name, kind });
    }
    // A question that a rule answers has no subject, and nobody waits for it.
    if (subject === undefined || subject === null) return [];
    const known = this.#calls.get(tool_call?.toolCallId ?? "")?.fields ?? {};
    return this.#printWait(chooseTitle(mergeToolCall<Partial<Call["fields"]>>(known, tool_call ?? {})));
  }

  #printWait(what: string): readonly PrintedText[] {
    if (this.#deniesQuestions) return [];
    return this.#printNote(this.#noteLayout.paint.yellow(`waiting for an answer on the page: ${cleanLine(what)}`));
  }

  #printDecision({ permission_id, status, decided_by, rule }: PermissionDecided): readonly PrintedText[] {
    // When the command itself denies, "cancelled" means that the agent offered no option to deny.
    const isNo = status === "denied" || status === "timed_out" || (status === "cancelled" && this.#deniesQuestions);
    if (!isNo) return [];
    this.#wasDenied = true;
    const callId = this.#askedCalls.get(permission_id);
    if (callId !== undefined) this.#deniedCalls.add(callId);
    const why = rule === null ? this.#explainDenial(decided_by) : `by rule ${rule}`;
    return this.#printNote(this.#noteLayout.paint.red(`denied ${cleanLine(why)}`));
  }

  #printElicitation({ elicitation_id, status, decided_by, reason }: ElicitationDecided): readonly PrintedText[] {
    const asked = this.#questions.get(elicitation_id) ?? "a question";
    const why = reason ?? `${status} by ${decided_by}`;
    const line = status === "accepted" ? `answered: ${asked}` : `not answered: ${asked} (${why})`;
    return this.#printNote(this.#noteLayout.paint.yellow(cleanLine(line)));
  }

  #explainDenial(decidedBy: string): string {
    if (decidedBy === "timeout") return "because there was no answer in time";
    return this.#deniesQuestions && (decidedBy === "command" || decidedBy === "cancel")
      ? "because no rule allows it; --allow RULE would"
      : `by ${decidedBy}`;
  }

  #endTurn(ts: number, outcome: TurnOutcome, why: string): readonly PrintedText[] {
    const unfinished = [...this.#calls.values()].filter((call) => !call.isPrinted);
    this.#endedItems.push(...unfinished.filter(isByHost));
    const ofAgent = unfinished.filter((call) => !isByHost(call));
    const calls = [...this.#printItems(ts), ...ofAgent.flatMap((call) => this.#printCall(call, ts))];
    // Some agents end a turn as cancelled after a denial.
    const denied = this.#wasDenied && (outcome === "ended" || outcome === "cancelled");
    this.#outcome = denied ? "denied" : outcome;
    return [...calls, ...this.#closeLine(), ...this.#printEnding(outcome, why)];
  }

  #printEnding(outcome: TurnOutcome, why: string): readonly PrintedText[] {
    const { paint } = this.#noteLayout;
    switch (outcome) {
      case "ended":
        return [];
      case "failed":
      case "noModel":
        return this.#printNote(paint.red(cleanText(why)));
      case "denied":
      case "limit":
      case "cancelled":
        return this.#printNote(paint.yellow(`The turn ended: ${cleanLine(stopReasonText(why))}.`));
    }
  }

  /** Ends the last line of the text. */
  #closeLine(): readonly PrintedText[] {
    if (!this.#isMidLine) return [];
    this.#isMidLine = false;
    return [{ to: "stdout", text: "\n" }];
  }

  /** On a terminal both streams share the screen, so a note starts on a new line there. */
  #printNote(line: string): readonly PrintedText[] {
    const broken = this.#isMidLine && this.#textLayout.isTerminal && this.#noteLayout.isTerminal;
    if (broken) this.#isMidLine = false;
    return [{ to: "stderr", text: `${broken ? "\n" : ""}${line}\n` }];
  }
}

function isByHost({ id }: Call): boolean {
  return isHostItem({ tool_call_id: id });
}

/** An unknown stop reason counts as a normal end. */
function toOutcome(stopReason: string): TurnOutcome {
  switch (stopReason) {
    case "refusal":
      return "denied";
    case "max_tokens":
    case "max_turn_requests":
      return "limit";
    case "cancelled":
      return "cancelled";
    default:
      return "ended";
  }
}

/** Signalbox's agent has no usable model: nothing was sent, and its message says what to configure. */
function hasNoModel(details: Json | undefined): boolean {
  const data = toFields(details).data;
  return toFields(data).code === "misconfigured";
}
