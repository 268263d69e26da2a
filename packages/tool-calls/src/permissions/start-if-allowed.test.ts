import { afterEach, describe, expect, it, vi } from "vitest";
import { recordingClient } from "../../test-support/recording-client.ts";
import { ToolCallTracker } from "../calls/tracker.ts";
import { allow, deny, type PermissionHandler, type PermissionRequest } from "./permission.ts";
import { startIfAllowed } from "./start-if-allowed.ts";

function announced() {
  const client = recordingClient();
  const tracker = new ToolCallTracker({ client, sessionId: "s", cwd: "/project" });
  return { client, tracker, pending: tracker.announce({ name: "bash", args: { command: "ls", path: "a" }, id: "c" }) };
}

afterEach(() => {
  vi.useRealTimers();
});

describe("startIfAllowed", () => {
  it("starts what a handler allows, and tells the handler everything about the call", async () => {
    const { pending } = announced();
    const requests: PermissionRequest[] = [];
    const call = await startIfAllowed(pending, {
      decide: (request) => {
        requests.push(request);
        return allow();
      },
    });
    expect(call.status).toBe("in_progress");
    expect(requests).toEqual([
      {
        sessionId: "s",
        toolCallId: "c",
        tool: "bash",
        kind: "execute",
        title: "`ls`",
        args: { command: "ls", path: "a" },
        locations: [{ path: "/project/a" }],
        content: [],
        cwd: "/project",
        signal: pending.signal,
      },
    ]);
  });

  it("asks only when the client has been told of the call", async () => {
    const order: string[] = [];
    const tracker = new ToolCallTracker({
      client: {
        sessionUpdate: async () => {
          await new Promise(setImmediate);
          order.push("announced");
        },
      },
      sessionId: "s",
      cwd: "/project",
    });
    const handler: PermissionHandler = {
      decide: () => {
        order.push("asked");
        return allow();
      },
    };
    await startIfAllowed(tracker.announce({ name: "x" }), handler);
    expect(order).toEqual(["announced", "asked"]);
  });

  it("ends a denied call as failed with the handler's words", async () => {
    const { pending, client } = announced();
    const call = await startIfAllowed(pending, { decide: () => deny("Ask the user first.") });
    expect(call).toMatchObject({ status: "failed", outcome: "denied", message: "Ask the user first." });
    expect(client.updates.at(-1)).toMatchObject({
      status: "failed",
      content: [{ type: "content", content: { type: "text", text: "Ask the user first." } }],
    });
  });

  it.each<[string, PermissionHandler["decide"]]>([
    [
      "throws",
      () => {
        throw new Error("broken");
      },
    ],
    ["rejects", () => Promise.reject(new Error("broken"))],
    ["decides nothing", () => undefined as never],
    ["resolves to nothing", async () => undefined as never],
    ["answers with something truthy", () => ({ allowed: "yes" }) as never],
  ])("takes a handler that %s for a no", async (_, decide) => {
    const { pending } = announced();
    expect(await startIfAllowed(pending, { decide })).toMatchObject({ status: "failed", outcome: "denied" });
  });

  it("takes no answer in time for a no, and withdraws the question", async () => {
    vi.useFakeTimers();
    const { pending } = announced();
    let asked: PermissionRequest | undefined;
    const handler: PermissionHandler = {
      decide: (request) => {
        asked = request;
        return new Promise(() => undefined);
      },
    };
    const call = startIfAllowed(pending, handler, { permissionTimeoutMs: 5000 });
    await vi.advanceTimersByTimeAsync(4999);
    expect(asked?.signal.aborted).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(await call).toMatchObject({ outcome: "denied", message: expect.stringContaining("5 seconds") });
    expect(asked?.signal.aborted).toBe(true);
  });

  it("does not wait for a handler once the call is cancelled, and ignores its answer", async () => {
    const { pending, tracker } = announced();
    let answer: (decision: ReturnType<typeof allow>) => void = () => undefined;
    const handler: PermissionHandler = { decide: () => new Promise((resolve) => (answer = resolve)) };
    const call = startIfAllowed(pending, handler);
    await new Promise(setImmediate);
    await tracker.settleAll("The turn was cancelled.");
    expect(await call).toMatchObject({ outcome: "cancelled", message: "The turn was cancelled." });
    answer(allow());
    await new Promise(setImmediate);
    expect(pending.start()).toMatchObject({ outcome: "cancelled" });
  });
});
