import { describe, expect, it } from "vitest";
import { recordingClient } from "../test-support/recording-client.ts";
import type { ToolContext } from "./middleware.ts";
import { allow } from "./permissions/permission.ts";
import { ToolCallTracker } from "./tracker.ts";
import { type ToolCallingAgent, unwrapAgent, wrapAgent } from "./wrap-agent.ts";

function wrap<Agent extends ToolCallingAgent>(agent: Agent) {
  const client = recordingClient();
  const tracker = new ToolCallTracker({ client, sessionId: "s", cwd: "/project" });
  const wrapped = wrapAgent(agent, { tracker, permissions: { decide: () => allow() } });
  const seen = () => client.updates.flatMap((update) => (update.sessionUpdate === "tool_call" ? [update.name] : []));
  return { wrapped, seen };
}

class Plain {
  calls = 0;
  static readonly made = "Plain";
  get label(): string {
    return `called ${this.calls}`;
  }
  set start(value: number) {
    this.calls = value;
  }
  async prompt(text: string): Promise<string> {
    return `${text}: ${await this.callTool("read", { path: "a" })}`;
  }
  async callTool(name: string, _args: unknown, _context?: ToolContext): Promise<string> {
    this.calls++;
    return `ran ${name}`;
  }
}

class Private {
  #calls = 0;
  get calls(): number {
    return this.#calls;
  }
  set calls(value: number) {
    this.#calls = value;
  }
  reset(): void {
    this.#calls = 0;
  }
  isOne(): boolean {
    return #calls in this;
  }
  async prompt(): Promise<string> {
    return this.callTool("read", {});
  }
  async callTool(name: string, _args: unknown): Promise<string> {
    this.#calls++;
    return name;
  }
}

describe("wrapAgent", () => {
  it("sees the calls from outside and the agent's own", async () => {
    const { wrapped, seen } = wrap(new Plain());
    expect(await wrapped.callTool("bash", {})).toBe("ran bash");
    expect(await wrapped.prompt("hi")).toBe("hi: ran read");
    expect(seen()).toEqual(["bash", "read"]);
  });

  it("keeps everything else, `this` included, and does not change the agent", async () => {
    const agent = new Plain();
    const { wrapped, seen } = wrap(agent);
    await wrapped.prompt("hi");
    expect(agent.calls).toBe(1);
    expect(wrapped.label).toBe("called 1");
    wrapped.start = 5;
    expect(agent.calls).toBe(5);
    wrapped.calls = 6;
    expect(agent.calls).toBe(6);
    expect(wrapped).toBeInstanceOf(Plain);
    expect(wrapped.constructor).toBe(Plain);
    expect(Object.keys(wrapped)).toEqual(["calls"]);
    expect(Reflect.get(wrapped, "prompt")).toBe(Reflect.get(agent, "prompt"));
    expect(Reflect.get(wrapped, "callTool")).toBe(Reflect.get(wrapped, "callTool"));
    expect(Object.hasOwn(agent, "callTool")).toBe(false);
    await agent.prompt("unseen");
    expect(seen()).toEqual(["read"]);
  });

  it("keeps #private fields working", async () => {
    const agent = new Private();
    const { wrapped, seen } = wrap(agent);
    await wrapped.callTool("bash", {});
    await wrapped.prompt();
    expect(wrapped.calls).toBe(2);
    wrapped.calls = 7;
    expect(agent.calls).toBe(7);
    wrapped.reset();
    expect(agent.calls).toBe(0);
    expect(wrapped.isOne()).toBe(true);
    const other = new Private();
    other.calls = 3;
    wrapped.calls = 4;
    wrapped.reset.call(other);
    expect([other.calls, agent.calls]).toEqual([0, 4]);
    expect(Reflect.get(wrapped, "reset")).toBe(Reflect.get(wrapped, "reset"));
    expect(seen()).toEqual(["bash", "read"]);
  });

  it("keeps private fields working that a compiler has lowered", () => {
    const counts = new WeakMap<object, number>();
    // oxlint-disable-next-line eslint/no-underscore-dangle -- the name that compilers give it
    const __privateGet = (object: object) => counts.get(object);
    class Lowered {
      constructor() {
        counts.set(this, 1);
      }
      count(): number | undefined {
        return __privateGet(this);
      }
      callTool(name: string): string {
        return name;
      }
    }
    expect(wrap(new Lowered()).wrapped.count()).toBe(1);
  });

  it("keeps objects working that live in the engine", async () => {
    class Registry extends Map<string, string> {
      async callTool(name: string, _args: unknown): Promise<string | undefined> {
        return this.get(name);
      }
    }
    const { wrapped, seen } = wrap(new Registry([["a", "A"]]));
    expect(wrapped.size).toBe(1);
    expect(await wrapped.callTool("a", {})).toBe("A");
    expect(seen()).toEqual(["a"]);
  });

  it("takes an object literal, and a callTool that is set later", async () => {
    const agent: { callTool(name: string): string; run(): unknown } = {
      callTool: (name) => `first ${name}`,
      run() {
        return this.callTool("x");
      },
    };
    const { wrapped, seen } = wrap(agent);
    expect(await wrapped.run()).toBe("first x");
    agent.callTool = (name) => `second ${name}`;
    expect(await wrapped.run()).toBe("second x");
    expect(seen()).toEqual(["x", "x"]);
  });

  it("can be undone: the agent comes back and the wrapper does nothing of its own any more", async () => {
    const agent = new Plain();
    const { wrapped, seen } = wrap(agent);
    const taken: Plain["callTool"] = Reflect.get(wrapped, "callTool");
    expect(unwrapAgent(wrapped)).toBe(agent);
    await wrapped.prompt("hi");
    await taken.call(wrapped, "bash", {});
    expect(agent.calls).toBe(2);
    expect(seen()).toEqual([]);
    expect(unwrapAgent(agent)).toBe(agent);
  });

  describe("refuses an agent whose calls would escape", () => {
    const refused = expect.objectContaining({ code: "cannot_wrap", message: expect.stringContaining("withToolCalls") });

    it("calls beside #private names", () => {
      class Mixed {
        #model = "m";
        async prompt(): Promise<unknown> {
          return this.callTool(this.#model, {});
        }
        async callTool(name: string, _args: unknown): Promise<string> {
          return name;
        }
      }
      expect(() => wrap(new Mixed())).toThrow(refused);
    });

    it("calls from a #private method, and through another method", () => {
      class Inside {
        async prompt(): Promise<unknown> {
          return this.#turn();
        }
        async #turn(): Promise<unknown> {
          return this.callTool("x", {});
        }
        async callTool(name: string, _args: unknown): Promise<string> {
          return name;
        }
      }
      class Through {
        #turns = 0;
        async prompt(): Promise<unknown> {
          return this.#turns++ < 9 && this.turn();
        }
        async turn(): Promise<unknown> {
          return this.callTool("x", {});
        }
        async callTool(name: string, _args: unknown): Promise<string> {
          return name;
        }
      }
      expect(() => wrap(new Inside())).toThrow(refused);
      expect(() => wrap(new Through())).toThrow(refused);
    });

    it("calls from an arrow function and from a bound method", () => {
      class Arrow {
        prompt = async () => this.callTool("x");
        async callTool(name: string): Promise<string> {
          return name;
        }
      }
      class Bound extends Plain {
        constructor() {
          super();
          this.prompt = this.prompt.bind(this);
        }
      }
      expect(() => wrap(new Arrow())).toThrow(refused);
      expect(() => wrap(new Bound())).toThrow(refused);
    });

    it("a frozen callTool", () => {
      expect(() => wrap(Object.freeze({ callTool: (name: string) => name }))).toThrow(refused);
    });
  });
});
