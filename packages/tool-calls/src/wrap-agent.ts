// An agent whose `callTool` is seen and permitted by the client. The agent object itself is not changed: a Proxy stands before it.
import { type ToolCallsOptions, withToolCalls } from "./middleware.ts";
import {
  accessorNeedsObjectItself,
  callsOnObjectItself,
  isMethod,
  type Method,
  needsObjectItself,
} from "./private-names.ts";
import { ToolCallError } from "./tool-call-error.ts";

/** Any object with a `callTool(name, args, { signal, onProgress })`. */
export interface ToolCallingAgent {
  callTool(name: string, args: never, context: never): unknown;
}

interface Wrapping {
  readonly agent: object;
  active: boolean;
}

const wrappings = new WeakMap<object, Wrapping>();

/**
 * Puts tool calls, permissions and progress before an agent, for calls from outside and for its own `this.callTool(...)`. Everything
 * else works as before, `this` and #private fields included, and the agent itself stays as it is. `unwrapAgent` undoes it.
 * Throws a `ToolCallError` (`cannot_wrap`) when calls of the agent would escape.
 */
export function wrapAgent<Agent extends ToolCallingAgent>(
  agent: Agent,
  options: ToolCallsOptions<Awaited<ReturnType<Agent["callTool"]>>>,
): Agent {
  assertWrappable(agent);
  const wrapping: Wrapping = { agent, active: true };
  const standIns = new WeakMap<Method, Method>();

  /** What the Proxy gives out in place of a method; the same function each time. */
  const standInFor = (method: Method, make: () => Method): Method => {
    const standIn = standIns.get(method) ?? make();
    standIns.set(method, standIn);
    return standIn;
  };
  /** The method with the `this` that it needs. */
  const plain = (method: Method): Method =>
    function (this: unknown, ...args) {
      return Reflect.apply(method, this === proxy && needsObjectItself(method) ? agent : this, args);
    };
  const tracked = (method: Method): Method => {
    const untracked = plain(method);
    const callTool = withToolCalls<unknown, unknown>(untracked, options);
    return function (this: unknown, ...args) {
      return Reflect.apply(wrapping.active ? callTool : untracked, this, args);
    };
  };

  const proxy: Agent = new Proxy(agent, {
    get(target, key, receiver) {
      const value: unknown = Reflect.get(target, key, accessorNeedsObjectItself(target, key) ? target : receiver);
      if (!isMethod(value)) return value;
      if (key === "callTool") return standInFor(value, () => tracked(value));
      const isOwn = Object.hasOwn(target, key);
      return !isOwn && needsObjectItself(value) ? standInFor(value, () => plain(value)) : value;
    },
    set(target, key, value, receiver) {
      return Reflect.set(target, key, value, accessorNeedsObjectItself(target, key) ? target : receiver);
    },
  });
  wrappings.set(proxy, wrapping);
  return proxy;
}

/** The agent that was wrapped. The wrapper, and functions that were taken from it, do nothing of their own from now on. */
export function unwrapAgent<Agent extends object>(agent: Agent): Agent {
  const wrapping = wrappings.get(agent);
  if (wrapping === undefined) return agent;
  wrapping.active = false;
  // The map holds for each wrapper the agent that it was made from, which has the same type.
  return wrapping.agent as Agent;
}

function assertWrappable(agent: ToolCallingAgent): void {
  const fixed = Object.getOwnPropertyDescriptor(agent, "callTool");
  const frozen = fixed?.configurable === false && fixed.writable === false;
  if (!frozen && !callsOnObjectItself(agent, "callTool")) return;
  const why = frozen
    ? "its callTool is frozen"
    : "it calls this.callTool where only the object itself can be `this`: beside #private names, in an arrow function or in a bound method";
  throw new ToolCallError(
    "cannot_wrap",
    `This agent cannot be wrapped without changing it, because ${why}. Set it yourself instead: agent.callTool = withToolCalls(agent.callTool.bind(agent), options).`,
  );
}
