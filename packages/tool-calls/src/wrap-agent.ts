// Wraps the `callTool` of an agent object. Its class stays unchanged, and `unwrapAgent` puts the method back.
import { ToolCallError } from "./tool-call-error.ts";
import { type ToolCallsOptions, withToolCalls } from "./with-tool-calls.ts";

/** Any object with a `callTool(name, args, { signal, onProgress })`. */
export interface ToolCallingAgent {
  callTool(name: string, args: never, context: never): Promise<unknown>;
}

interface WrapOptions {
  /** The object's own `callTool` as it was; undefined when its class has it. */
  readonly ownMethod: PropertyDescriptor | undefined;
  readonly callTool: unknown;
}

const wrappings = new WeakMap<object, WrapOptions>();

/**
 * Lets the client see and permit the tool calls of this agent, those that it makes itself (`this.callTool(…)`) included. Gives the same
 * object. It does what `agent.callTool = withToolCalls(agent.callTool.bind(agent), options)` does, and can be undone.
 * Throws a `ToolCallError` (`cannot_wrap`) when the agent is wrapped already or its `callTool` cannot be replaced.
 */
export function wrapAgent<Agent extends ToolCallingAgent>(
  agent: Agent,
  options: ToolCallsOptions<Awaited<ReturnType<Agent["callTool"]>>>,
): Agent {
  if (wrappings.has(agent)) throw new ToolCallError("cannot_wrap", "This agent is wrapped already: unwrap it first.");
  // As an object, because the types of the arguments are the agent's own.
  const target: object = agent;
  const method: (...args: readonly unknown[]) => Promise<Awaited<ReturnType<Agent["callTool"]>>> = Reflect.get(
    target,
    "callTool",
  );
  const callTool = withToolCalls(method.bind(agent), options);
  const ownMethod = Object.getOwnPropertyDescriptor(agent, "callTool");
  const enumerable = ownMethod?.enumerable ?? false;
  if (!Reflect.defineProperty(agent, "callTool", { value: callTool, enumerable, writable: true, configurable: true }))
    throw new ToolCallError(
      "cannot_wrap",
      "The callTool of this agent cannot be replaced: the object is frozen or sealed.",
    );
  wrappings.set(agent, { ownMethod, callTool });
  return agent;
}

/** Puts back the `callTool` that the agent had. An agent that is not wrapped, or that has another `callTool` since, stays as it is. */
export function unwrapAgent<Agent extends object>(agent: Agent): Agent {
  const wrapping = wrappings.get(agent);
  if (wrapping === undefined) return agent;
  wrappings.delete(agent);
  if (Reflect.get(agent, "callTool") !== wrapping.callTool) return agent;
  if (wrapping.ownMethod === undefined) Reflect.deleteProperty(agent, "callTool");
  else Object.defineProperty(agent, "callTool", wrapping.ownMethod);
  return agent;
}
