import { describe, expect, it } from "vitest";
import { recordingClient } from "../test-support/recording-client.ts";
import { ToolCallTracker } from "./calls/tracker.ts";
import { allow } from "./permissions/permission.ts";
import type { ToolContext } from "./with-tool-calls.ts";
import { type ToolCallingAgent, unwrapAgent, wrapAgent } from "./wrap-agent.ts";

function wrap<Agent extends ToolCallingAgent>(agent: Agent) {
  const client = recordingClient();
  const tracker = new ToolCallTracker({ client, sessionId: "s", cwd: "/project" });
  const wrapped = wrapAgent(agent, { tracker, permissions: { decide: () => allow() } });
  const announced = () =>
    client.updates.flatMap((update) => (update.sessionUpdate === "tool_call" ? [update.name] : []));
  return { wrapped, announced };
}

class Notes {
  #calls = 0;
  /** An arrow function, a #private field and a bound method all reach the wrapped method. */
  ask = async () => this.callTool("ask", {});
  constructor() {
    this.prompt = this.prompt.bind(this);
  }
  get calls(): number {
    return this.#calls;
  }
  async prompt(): Promise<string> {
    return `${this.#calls} ${await this.#turn()}`;
  }
  async #turn(): Promise<string> {
    return this.callTool("read", { path: "a" });
  }
  async callTool(name: string, _args: unknown, _context?: ToolContext): Promise<string> {
    this.#calls++;
    return `ran ${name}`;
  }
}

class Registry extends Map<string, string> {
  async callTool(name: string, _args: unknown): Promise<string | undefined> {
    return this.get(name);
  }
}

describe("wrapAgent", () => {
  it("sees calls from outside and all of the agent's own", async () => {
    const { wrapped, announced } = wrap(new Notes());
    expect(await wrapped.callTool("bash", {})).toBe("ran bash");
    expect(await wrapped.prompt()).toBe("1 ran read");
    expect(await wrapped.ask()).toBe("ran ask");
    expect(wrapped.calls).toBe(3);
    expect(announced()).toEqual(["bash", "read", "ask"]);
  });

  it("gives the same object and changes neither its class nor other objects of it", async () => {
    const agent = new Notes();
    const before = Object.keys(agent);
    const { wrapped, announced } = wrap(agent);
    expect(wrapped).toBe(agent);
    expect(Object.keys(agent)).toEqual(before);
    await new Notes().prompt();
    expect(announced()).toEqual([]);
  });

  it("wraps an object literal and a built-in", async () => {
    const literal = wrap({ callTool: async (name: string) => `did ${name}` });
    expect(await literal.wrapped.callTool("x")).toBe("did x");
    expect(literal.announced()).toEqual(["x"]);
    const registry = wrap(new Registry([["a", "A"]]));
    expect(await registry.wrapped.callTool("a", {})).toBe("A");
    expect(registry.wrapped.size).toBe(1);
  });

  it("refuses an agent that is wrapped already, and one that is frozen", () => {
    const { wrapped } = wrap(new Notes());
    const refused = expect.objectContaining({ code: "cannot_wrap" });
    expect(() => wrap(wrapped)).toThrow(refused);
    expect(() => wrap(Object.freeze({ callTool: async (name: string) => name }))).toThrow(refused);
  });
});

describe("unwrapAgent", () => {
  it("puts back the method of the class", async () => {
    const agent = new Notes();
    const { announced } = wrap(agent);
    expect(unwrapAgent(agent)).toBe(agent);
    expect(await agent.prompt()).toBe("0 ran read");
    expect(Object.hasOwn(agent, "callTool")).toBe(false);
    expect(announced()).toEqual([]);
    expect(() => wrap(agent)).not.toThrow();
  });

  it("puts back a method of the object", () => {
    const callTool = async (name: string) => name;
    const agent = { callTool };
    wrap(agent);
    expect(unwrapAgent(agent).callTool).toBe(callTool);
  });

  it("keeps a method that was set since, and an agent that is not wrapped", () => {
    const agent: { callTool(name: string): Promise<string> } = { callTool: async (name) => name };
    wrap(agent);
    const other = async (name: string) => `other ${name}`;
    agent.callTool = other;
    expect(Reflect.get(unwrapAgent(agent), "callTool")).toBe(other);
    const notes = new Notes();
    expect(unwrapAgent(notes)).toBe(notes);
  });
});
