// What clients, tools and models get wrong, one test each, with the official SDK and real serialisation between agent and client.
import { agent, ndJsonStream } from "@agentclientprotocol/sdk";
import { afterEach, describe, expect, it, vi } from "vitest";
import { type SdkClient, sdkClient, selected } from "../../test-support/recording-client.ts";
import { wrapClient } from "../client.ts";
import { textContent } from "../content/content.ts";
import { ClientPermissionHandler } from "../permissions/client-handler.ts";
import { allow } from "../permissions/permission.ts";
import { RulePermissionHandler } from "../permissions/rule-handler.ts";
import { startIfAllowed } from "../permissions/start-if-allowed.ts";
import { MemoryPermissionStore } from "../permissions/store.ts";
import { type ToolContext, withToolCalls } from "../with-tool-calls.ts";
import { ToolCallTracker } from "./tracker.ts";

let client: SdkClient;
afterEach(() => {
  vi.restoreAllMocks();
  client.close();
});

function connected(answer?: Parameters<typeof sdkClient>[0]) {
  client = sdkClient(answer);
  const log = vi.fn<(message: string) => void>();
  const tracker = new ToolCallTracker({ client, sessionId: "s", cwd: "/project", log });
  const wrap = <Result>(tool: (name: string, args: unknown, context: ToolContext) => Result) =>
    withToolCalls(tool, { tracker, permissions: { decide: () => allow() } });
  /** The updates once the client has seen this many. */
  const received = async (count: number) => {
    await expect.poll(() => client.updates).toHaveLength(count);
    return client.updates;
  };
  return { tracker, log, wrap, received };
}

describe("the client", () => {
  it("is gone: tools still run, and it is said once", async () => {
    const { wrap, log } = connected();
    const callTool = wrap((name) => `ran ${name}`);
    client.close();
    expect(await callTool("a", {})).toBe("ran a");
    expect(await callTool("b", {})).toBe("ran b");
    expect(log).toHaveBeenCalledTimes(1);
    expect(log).toHaveBeenCalledWith(expect.stringContaining("takes no updates of session s"));
  });

  it("is gone: what needs permission does not run", async () => {
    const { tracker } = connected();
    client.close();
    const call = await startIfAllowed(tracker.announce({ name: "bash" }), new ClientPermissionHandler(client));
    expect(call).toMatchObject({ status: "failed", outcome: "denied" });
  });

  it("goes while it is being asked: that is a no", async () => {
    const { tracker } = connected(() => new Promise(() => undefined));
    const call = startIfAllowed(tracker.announce({ name: "bash" }), new ClientPermissionHandler(client));
    await expect.poll(() => client.questions).toHaveLength(1);
    client.close();
    expect(await call).toMatchObject({ status: "failed", outcome: "denied" });
  });

  it("throws from sessionUpdate: tools still run", async () => {
    connected();
    const tracker = new ToolCallTracker({
      client: {
        sessionUpdate: () => {
          throw new Error("closed");
        },
      },
      sessionId: "s",
      cwd: "/project",
      log: () => undefined,
    });
    expect(await withToolCalls(() => "ran", { tracker })("x", {})).toBe("ran");
  });

  it("fails the question with an error: that is a no", async () => {
    const { tracker } = connected(() => {
      throw new Error("no dialog here");
    });
    const call = await startIfAllowed(tracker.announce({ name: "bash" }), new ClientPermissionHandler(client));
    expect(call).toMatchObject({ outcome: "denied", message: expect.stringContaining("could not be asked") });
  });

  it.each(["allow", "ALLOW_ONCE", "", "__proto__"])(
    "answers with an option that was not offered, %o: that is a no",
    async (option) => {
      const { tracker } = connected(() => selected(option));
      const store = new MemoryPermissionStore();
      const handler = new ClientPermissionHandler(client, { store });
      const call = await startIfAllowed(tracker.announce({ name: "bash" }), handler);
      expect(call).toMatchObject({ outcome: "denied", message: expect.stringContaining("not offered") });
      expect(store.get("bash")).toBeUndefined();
    },
  );

  it.each([null, {}, { outcome: "selected" }, { outcome: { outcome: "selected" } }, "allow_once"])(
    "answers with %o, which is no answer: that is a no",
    async (response) => {
      const { tracker } = connected();
      const handler = new ClientPermissionHandler({ requestPermission: async () => response as never });
      expect(await startIfAllowed(tracker.announce({ name: "bash" }), handler)).toMatchObject({ outcome: "denied" });
    },
  );

  it("dismisses the question: that is a no", async () => {
    const { tracker } = connected(() => ({ outcome: { outcome: "cancelled" } }));
    const call = await startIfAllowed(tracker.announce({ name: "bash" }), new ClientPermissionHandler(client));
    expect(call).toMatchObject({ outcome: "denied" });
  });

  it("answers twice: the first answer counts", async () => {
    connected();
    // The SDK says there that it got an answer to nothing.
    const complaints = vi.spyOn(console, "error").mockReturnValue(undefined);
    const toAgent = new TransformStream<Uint8Array, Uint8Array>();
    const toClient = new TransformStream<Uint8Array, Uint8Array>();
    const connection = agent({ name: "test" }).connect(ndJsonStream(toClient.writable, toAgent.readable));
    const writer = toAgent.writable.getWriter();
    void answerEachQuestionTwice(toClient.readable, (line) => writer.write(new TextEncoder().encode(`${line}\n`)));

    const own = wrapClient(connection.client);
    const tracker = new ToolCallTracker({ client: own, sessionId: "s", cwd: "/project" });
    const store = new MemoryPermissionStore();
    const handler = new ClientPermissionHandler(own, { store });
    const outcomes = [];
    for (const command of ["a", "b"]) {
      const call = await startIfAllowed(tracker.announce({ name: "bash", args: { command } }), handler);
      outcomes.push(call.status);
    }
    expect(outcomes).toEqual(["failed", "failed"]);
    await expect.poll(() => complaints).toHaveBeenCalledTimes(2);
    expect(store.get("bash")).toBeUndefined();
    connection.close();
  });

  it("answers after cancel: nothing runs and nothing is remembered", async () => {
    let answer: (response: ReturnType<typeof selected>) => void = () => undefined;
    const { tracker } = connected(() => new Promise((resolve) => (answer = resolve)));
    const store = new MemoryPermissionStore();
    const pending = tracker.announce({ name: "bash" });
    const call = startIfAllowed(pending, new ClientPermissionHandler(client, { store }));
    await expect.poll(() => client.questions).toHaveLength(1);
    await tracker.settleAll("The turn was cancelled.");
    answer(selected("allow_always"));
    expect(await call).toMatchObject({ status: "failed", outcome: "cancelled" });
    // Another question and answer passes after the late answer, so that one has arrived.
    const next = startIfAllowed(tracker.announce({ name: "other" }), new ClientPermissionHandler(client, { store }));
    await expect.poll(() => client.questions).toHaveLength(2);
    answer(selected("reject_once"));
    await next;
    expect(store.get("bash")).toBeUndefined();
    expect(pending.start().status).toBe("failed");
  });
});

describe("a tool", () => {
  const cyclic: Record<string, unknown> = {};
  cyclic.self = cyclic;
  it.each([
    ["a string", "broken pipe", "broken pipe"],
    ["an object with a message", { code: 7, message: "quota" }, "quota"],
    ["an object", { code: 7 }, '{"code":7}'],
    ["a number", 42, "42"],
    ["undefined", undefined, "It failed without an error message."],
    ["null", null, "It failed without an error message."],
    ["a cyclic object", cyclic, "It failed without an error message."],
    ["a symbol", Symbol("x"), "It failed without an error message."],
  ])("throws %s: the call fails with words, and the agent gets what was thrown", async (_, thrown, words) => {
    const { wrap, received } = connected();
    const callTool = wrap(() => {
      throw thrown;
    });
    const caught = await callTool("x", {}).then(
      () => "nothing was thrown",
      (error: unknown) => ({ error }),
    );
    expect(caught).toEqual({ error: thrown });
    expect((await received(3)).at(-1)).toMatchObject({ status: "failed", content: [textContent(words)] });
  });

  it("returns nothing: the call completes", async () => {
    const { wrap, received } = connected();
    expect(await wrap(() => undefined)("x", {}, { toolCallId: "c" })).toBeUndefined();
    expect((await received(3)).at(-1)).toEqual({
      sessionUpdate: "tool_call_update",
      toolCallId: "c",
      status: "completed",
    });
  });

  it.each([
    ["text", "x".repeat(10_000_000)],
    ["control characters, which JSON makes six times as long", "\u0001".repeat(10_000_000)],
    ["data", { lines: Array.from({ length: 100_000 }, (_, i) => `${i} ${"y".repeat(100)}`) }],
  ])("returns 10 MB of %s: the agent gets all of it, the client a part that it can take", async (_, big) => {
    const { wrap, received } = connected();
    expect(await wrap(() => big)("x", {})).toBe(big);
    const last = (await received(3)).at(-1);
    expect(last).toMatchObject({ status: "completed" });
    const size = JSON.stringify(last).length;
    expect(size).toBeGreaterThan(400_000);
    expect(size).toBeLessThan(20_000_000);
  });

  it("gets 10 MB of arguments: it gets all of them, the client a part, and no path is lost behind them", async () => {
    const { tracker, received } = connected();
    const args = { content: "x".repeat(10_000_000), path: "/etc/passwd" };
    const rules = new RulePermissionHandler(
      [{ decision: "deny", path: "/etc/**" }, { decision: "allow" }],
      new ClientPermissionHandler(client),
    );
    const denied = await startIfAllowed(tracker.announce({ name: "write", args }), rules);
    expect(denied).toMatchObject({ outcome: "denied", title: "Write `/etc/passwd`" });
    const [announced] = await received(2);
    expect(announced).toMatchObject({ locations: [{ path: "/etc/passwd" }], rawInput: { path: "/etc/passwd" } });
    expect(JSON.stringify(announced).length).toBeLessThan(1_000_000);

    const given: unknown[] = [];
    const permissions = new ClientPermissionHandler(client);
    await withToolCalls((_name, own) => given.push(own), { tracker, permissions })("write", args);
    expect(given[0]).toBe(args);
    expect(JSON.stringify(client.questions[0]).length).toBeLessThan(1_000_000);
  });
});

describe("a model", () => {
  it("reuses a tool call id: each call keeps an id and a life of its own", async () => {
    const { tracker, received } = connected();
    const ids = [1, 2, 3].map((n) => {
      const call = tracker.announce({ name: "x", id: "call_0" }).start();
      if (call.status === "in_progress" && n > 1) call.complete();
      return call.id;
    });
    expect(ids[0]).toBe("call_0");
    expect(new Set(ids).size).toBe(3);
    expect(tracker.openCalls.map(({ id }) => id)).toEqual(["call_0"]);
    const announced = (await received(8)).filter((update) => update.sessionUpdate === "tool_call");
    expect(announced.map(({ toolCallId }) => toolCallId)).toEqual(ids);
  });

  it.each([["text"], [7], [null], [["a", "b"]], [true]])(
    "gives %o as arguments: the tool gets them, the client sees them",
    async (args) => {
      const { wrap, received } = connected();
      const given: unknown[] = [];
      await wrap((_name, own) => {
        given.push(own);
      })("bash", args);
      expect(given).toEqual([args]);
      expect((await received(3))[0]).toMatchObject({ title: "bash", rawInput: args });
    },
  );

  it("gives cyclic arguments: the call runs and the connection lives", async () => {
    const { wrap, received } = connected();
    const args: Record<string, unknown> = { path: "a" };
    args.self = args;
    await wrap(() => "ok")("read", args);
    const [announced, , completed] = await received(3);
    expect(announced).toMatchObject({ title: "Read `a`", rawInput: { path: "a", self: "[circular]" } });
    expect(completed).toMatchObject({ status: "completed" });
  });

  it.each(["api_key", "token", "password", "authorization"])(
    "gives a secret as %s: it is in no title",
    async (name) => {
      const { tracker, received } = connected();
      for (const tool of ["custom_tool", "bash", "fetch", "read"]) {
        const pending = tracker.announce({ name: tool });
        pending.input({
          [name]: "hunter2hunter2",
          command: "login hunter2hunter2",
          url: "https://x.org/hunter2hunter2",
        });
        const call = pending.start();
        if (call.status === "in_progress") call.progress(1, 2, `${name}=hunter2hunter2, so hunter2hunter2 it is`);
      }
      const titles = (await received(16)).flatMap((update) => ("title" in update ? [update.title] : []));
      expect(titles.length).toBeGreaterThanOrEqual(8);
      for (const title of titles) expect(title).not.toContain("hunter2");
    },
  );
});

/** Plays a client by hand: rejects each question, and immediately allows it always. */
async function answerEachQuestionTwice(
  lines: ReadableStream<Uint8Array>,
  write: (line: string) => Promise<void>,
): Promise<void> {
  let buffered = "";
  for await (const chunk of lines.pipeThrough(new TextDecoderStream())) {
    buffered += chunk;
    const complete = buffered.split("\n");
    buffered = complete.pop() ?? "";
    for (const line of complete) {
      const { id, method }: { id?: number; method?: string } = JSON.parse(line);
      if (method !== "session/request_permission") continue;
      for (const optionId of ["reject_once", "allow_always"]) {
        await write(JSON.stringify({ jsonrpc: "2.0", id, result: selected(optionId) }));
      }
    }
  }
}
