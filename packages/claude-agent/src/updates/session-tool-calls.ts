// Keeps the tool calls of a session by the ids that Claude gave them. The stream, permission questions and our own tools all know of a call, in
// any order: the first of them announces it.

import type { SessionUpdates, ToolCallTrackerOptions } from "@signalbox/tool-calls";
import {
  describeClaudeResult,
  describeClaudeTool,
  type PendingToolCall,
  planFromTodos,
  type RunningToolCall,
  type ToolCallChange,
  ToolCallTracker,
  type ToolDescription,
} from "@signalbox/tool-calls";
import type { Fields } from "../sdk/json.ts";

interface ToolUse {
  readonly id: string;
  readonly name: string;
  /** Null while the model still writes it. */
  readonly input: Fields | null;
  /** The call of the sub-agent that this call belongs to. */
  readonly parent?: string | null;
}

interface ToolEnd {
  readonly toolUseId: string;
  readonly content: unknown;
  readonly isError: boolean;
  readonly toolUseResult: unknown;
}

interface Entry {
  state: PendingToolCall | RunningToolCall;
  readonly calledName: string;
  description: ToolDescription;
  hasInput: boolean;
  /** It is a sub-agent's, which may go on after the turn. */
  readonly isNested: boolean;
  /** The tool itself said what to show; its result says nothing more. */
  showsItself: boolean;
}

export class SessionToolCalls {
  readonly #tracker: ToolCallTracker;
  readonly #cwd: string;
  readonly #calls = new Map<string, Entry>();

  constructor(options: Pick<ToolCallTrackerOptions, "sessionId" | "cwd"> & { client: SessionUpdates }) {
    this.#tracker = new ToolCallTracker(options);
    this.#cwd = options.cwd;
  }

  announce({ id, name, input, parent = null }: ToolUse): ToolDescription {
    const known = this.#calls.get(id);
    if (known !== undefined) {
      if (input !== null && !known.hasInput) this.#takeInput(known, input);
      return known.description;
    }
    const description = describeClaudeTool(name, input ?? undefined, this.#cwd);
    const { title, kind, locations, content } = description;
    const meta = { claudeCode: { toolName: name, ...(parent !== null && { parentToolUseId: parent }) } };
    const state = this.#tracker.announce({ id, name: description.name, title, kind, locations, content, meta });
    const entry = {
      state,
      calledName: name,
      description,
      hasInput: false,
      isNested: parent !== null,
      showsItself: false,
    };
    this.#calls.set(id, entry);
    if (input !== null) this.#takeInput(entry, input);
    return description;
  }

  start(toolUseId: string): void {
    const entry = this.#calls.get(toolUseId);
    if (entry?.state.status !== "pending") return;
    const started = entry.state.start();
    if (started.status === "in_progress") entry.state = started;
  }

  /** A tool of ours says what the person sees. */
  show(toolUseId: string, change: ToolCallChange): void {
    const entry = this.#calls.get(toolUseId);
    if (entry === undefined) return;
    entry.showsItself = true;
    entry.state.update(change);
  }

  end({ toolUseId, content, isError, toolUseResult }: ToolEnd): void {
    const waiting = this.#calls.get(toolUseId);
    if (waiting === undefined) return;
    const { failure, ...report } = describeClaudeResult(waiting.description, { content, isError, toolUseResult });
    // A call that was denied did not run.
    if (failure === undefined) this.start(toolUseId);
    this.#calls.delete(toolUseId);
    const { state, showsItself } = waiting;
    if (failure !== undefined) state.fail(failure);
    else if (state.status !== "in_progress") return;
    // A tool that runs in a terminal of the client shows that terminal; its result would show the same once more.
    else if (showsItself) state.complete();
    else state.complete({ ...report, rawOutput: content });
  }

  /** The turn is over, and with it all of its calls; sub-agents in the background may still work. */
  async settleTurn(reason: string): Promise<void> {
    for (const [id, { state, isNested }] of this.#calls) {
      if (isNested) continue;
      this.#calls.delete(id);
      state.cancel(reason);
    }
    await this.flush();
  }

  /** Whatever is still open ends here. */
  async settleAll(reason: string): Promise<void> {
    this.#calls.clear();
    await this.#tracker.settleAll(reason);
  }

  async flush(): Promise<void> {
    await this.#tracker.flush();
  }

  #takeInput(entry: Entry, input: Fields): void {
    entry.hasInput = true;
    entry.description = describeClaudeTool(entry.calledName, input, this.#cwd);
    const { title, kind, locations, content } = entry.description;
    entry.state.update({
      title,
      kind,
      locations,
      rawInput: input,
      ...(content.length > 0 && !entry.showsItself && { content }),
    });
    if (entry.description.name !== "TodoWrite") return;
    const plan = planFromTodos(input);
    if (plan !== undefined) this.#tracker.plan(plan);
  }
}
