// Wraps `callTool(name, args, { signal, onProgress })`: every call is announced, permitted, run, reported and ended.
import type { ToolKind } from "@agentclientprotocol/sdk";
import type { FailedToolCall, RunningToolCall } from "./calls/tool-call.ts";
import type { ToolCallTracker } from "./calls/tracker.ts";
import { isTodoTool, planFromTodos } from "./content/plan.ts";
import { reportResult, withShown } from "./content/result.ts";
import { AlwaysAllowPermissionHandler } from "./permissions/always-allow.ts";
import type { PermissionHandler } from "./permissions/permission.ts";
import { type PermissionOptions, startIfAllowed } from "./permissions/start-if-allowed.ts";
import { ToolCallError } from "./tool-call-error.ts";
import { untilAborted } from "./until-aborted.ts";

export type OnProgress = (progress: number, total?: number, message?: string) => void;

/** Progress as MCP's SDK reports it. */
export interface ProgressReport {
  readonly progress: number;
  readonly total?: number | undefined;
  readonly message?: string | undefined;
}

/** Takes numbers or MCP's object, so that it can be passed on as `onprogress` to an MCP client. */
export type ReportProgress = (progress: number | ProgressReport, total?: number, message?: string) => void;

/** Options that a caller may pass with a call. */
export interface CallerContext {
  readonly signal?: AbortSignal;
  readonly onProgress?: OnProgress;
  /** The id that the model gave the call. */
  readonly toolCallId?: string;
}

/** The second argument of every tool. */
export interface ToolContext extends CallerContext {
  /** Aborts when the call is cancelled. */
  readonly signal: AbortSignal;
  readonly onProgress: ReportProgress;
  /** The call itself, for what a result cannot say: a terminal that is shown while it runs, content that grows. */
  readonly call: RunningToolCall;
}

export interface ToolCallsOptions<Result = unknown> extends PermissionOptions {
  readonly tracker: ToolCallTracker;
  /** Who decides what may run. The default allows everything and says so once in the log. */
  readonly permissions?: PermissionHandler;
  /** The kind that a tool declares itself; without one the name decides. */
  readonly kindOf?: (name: string) => ToolKind | undefined;
  /** Returns the result of a denied call. Without it the call throws a `ToolCallError` with the code `denied`. */
  readonly denied?: (call: FailedToolCall) => Result;
}

/**
 * The same function, with its calls seen and permitted by the client. What the tool returns or throws is handed on untouched. A call
 * that is cancelled rejects immediately, whatever the tool does.
 */
export function withToolCalls<Args, Result>(
  callTool: (name: string, args: Args, context: ToolContext) => Result | Promise<Result>,
  options: ToolCallsOptions<Result>,
): (name: string, args: Args, context?: CallerContext) => Promise<Result> {
  const { tracker, kindOf, permissions = new AlwaysAllowPermissionHandler(tracker.log) } = options;

  return async function callToolTracked(this: unknown, name, args, context = {}) {
    const { signal, toolCallId, onProgress } = context;
    const kind = kindOf?.(name);
    const pending = tracker.announce({
      name,
      args,
      ...(kind === undefined ? {} : { kind }),
      ...(toolCallId === undefined ? {} : { id: toolCallId }),
      ...(signal === undefined ? {} : { signal }),
    });
    const call = await startIfAllowed(pending, permissions, options);
    if (call.status === "failed") {
      await call.delivered();
      signal?.throwIfAborted();
      if (call.outcome === "denied" && options.denied !== undefined) return options.denied(call);
      throw new ToolCallError(call.outcome === "denied" ? "denied" : "cancelled", call.message);
    }
    const toolContext: ToolContext = {
      ...context,
      signal: call.signal,
      onProgress: (reported, ...more) => {
        const { progress, total, message } =
          typeof reported === "number" ? { progress: reported, total: more[0], message: more[1] } : reported;
        call.progress(progress, total, message);
        onProgress?.(progress, total, message);
      },
      call,
    };
    // Inside an async function, so that a tool that throws immediately is no different from one that rejects.
    const run = async () => callTool.call(this, name, args, toolContext);
    try {
      const result = await untilAborted(run(), call.signal);
      const { failure, content: returned, ...rest } = reportResult(result, tracker.maxLength);
      const content = withShown(call.content, returned);
      const report = content === undefined ? rest : { ...rest, content };
      const plan = failure === undefined && isTodoTool(name) ? planFromTodos(call.rawInput) : undefined;
      if (plan !== undefined) tracker.plan(plan);
      await (failure === undefined ? call.complete(report) : call.fail(failure, report)).delivered();
      return result;
    } catch (error) {
      // When the call was ended from outside, that end stands and this one changes nothing.
      await call.fail(error).delivered();
      throw error;
    }
  };
}
