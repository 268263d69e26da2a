import type { RequestPermissionResponse } from "@agentclientprotocol/sdk";
import { describe, expect, it, vi } from "vitest";
import { recordingClient, sdkClient, selected } from "../../test-support/recording-client.ts";
import { type ToolCallStart } from "../calls/call-record.ts";
import { ToolCallTracker } from "../calls/tracker.ts";
import type { AcpClient } from "../client.ts";
import { textContent } from "../content/content.ts";
import { ClientPermissionHandler, type ClientPermissionOptions } from "./client-handler.ts";
import { deniedByKey } from "./denied-by.ts";
import { startIfAllowed } from "./start-if-allowed.ts";
import { MemoryPermissionStore } from "./store.ts";

/** A client whose questions wait until the test answers them, oldest first. */
function waitingClient() {
  const answers: ((response: RequestPermissionResponse) => void)[] = [];
  const client = recordingClient(() => new Promise((resolve) => answers.push(resolve)));
  const answer = async (optionId: string) => {
    await expect.poll(() => answers.length).toBeGreaterThan(0);
    answers.shift()?.(selected(optionId));
  };
  return { client, answer };
}

function asking(client: AcpClient, options?: ClientPermissionOptions) {
  const handler = new ClientPermissionHandler(client, options);
  const tracker = new ToolCallTracker({ client, sessionId: "s", cwd: "/project" });
  const ask = async (start: ToolCallStart) => {
    const call = await startIfAllowed(tracker.announce(start), handler);
    return call.status === "in_progress" ? "allowed" : call.outcome;
  };
  return { handler, tracker, ask };
}

describe("ClientPermissionHandler", () => {
  it("asks with the four options and all that the person needs to decide", async () => {
    const client = sdkClient();
    const { ask } = asking(client);
    const content = [textContent("what it would do")];
    expect(await ask({ name: "mcp__disk__delete_file", args: { path: "a" }, id: "c", content })).toBe("allowed");
    expect(client.questions).toEqual([
      {
        sessionId: "s",
        toolCall: {
          toolCallId: "c",
          title: "disk/delete_file",
          name: "mcp__disk__delete_file",
          kind: "delete",
          status: "pending",
          rawInput: { path: "a" },
          locations: [{ path: "/project/a" }],
          content,
        },
        options: [
          { optionId: "allow_once", kind: "allow_once", name: "Allow once" },
          { optionId: "allow_always", kind: "allow_always", name: "Always allow disk/delete_file" },
          { optionId: "reject_once", kind: "reject_once", name: "Reject once" },
          { optionId: "reject_always", kind: "reject_always", name: "Always reject disk/delete_file" },
        ],
      },
    ]);
    client.close();
  });

  it.each([
    ["allow_once", "allowed", undefined],
    ["allow_always", "allowed", "allow"],
    ["reject_once", "denied", undefined],
    ["reject_always", "denied", "reject"],
  ])("takes %s as %s and remembers %s", async (optionId, outcome, remembered) => {
    const store = new MemoryPermissionStore();
    const client = recordingClient(() => selected(optionId));
    const { ask } = asking(client, { store });
    expect(await ask({ name: "bash", args: { command: "a" } })).toBe(outcome);
    expect(store.get("bash")).toBe(remembered);
    expect(await ask({ name: "bash", args: { command: "b" } })).toBe(outcome);
    expect(client.questions).toHaveLength(remembered === undefined ? 2 : 1);
  });

  it("remembers by tool, or by what the agent says", async () => {
    const client = recordingClient(() => selected("allow_always"));
    const { ask } = asking(client, { rememberAs: ({ tool, args }) => `${tool} ${JSON.stringify(args)}` });
    await ask({ name: "bash", args: { command: "a" } });
    await ask({ name: "bash", args: { command: "b" } });
    await ask({ name: "bash", args: { command: "a" } });
    expect(client.questions.map(({ options }) => options[1]?.name)).toEqual([
      'Always allow bash {"command":"a"}',
      'Always allow bash {"command":"b"}',
    ]);
  });

  it("denies in words that the model can use", async () => {
    const client = recordingClient(() => selected("reject_once"));
    const { handler, tracker } = asking(client);
    const call = await startIfAllowed(tracker.announce({ name: "bash" }), handler);
    expect(call).toMatchObject({ message: expect.stringMatching(/did not allow this call of bash.*nothing was done/) });
  });

  it.each([
    ["command", "no one is there to be asked"],
    ["rule", "A rule of the user does not allow this"],
    ["timeout", "No one answered in time"],
    ["sandbox", "Signalbox does not allow this"],
  ])("does not say that a person denied what %s denied", async (by, told) => {
    const outcome = { outcome: "selected" as const, optionId: "reject_once", _meta: { [deniedByKey]: by } };
    const { handler, tracker } = asking(recordingClient(() => ({ outcome })));
    const call = await startIfAllowed(tracker.announce({ name: "bash" }), handler);
    expect(call).toMatchObject({ outcome: "denied", message: expect.stringContaining(told) });
    expect(call).toMatchObject({ message: expect.stringMatching(/^bash was not run\. (?!The user)/) });
  });

  it("asks once when the same is asked twice at the same time", async () => {
    const { client, answer } = waitingClient();
    const { ask } = asking(client);
    const both = [ask({ name: "bash", args: { command: "a" } }), ask({ name: "bash", args: { command: "a" } })];
    await answer("allow_once");
    expect(await Promise.all(both)).toEqual(["allowed", "allowed"]);
    expect(client.questions).toHaveLength(1);
  });

  it("asks again for another command after a once", async () => {
    const { client, answer } = waitingClient();
    const { ask } = asking(client);
    const both = [ask({ name: "bash", args: { command: "a" } }), ask({ name: "bash", args: { command: "b" } })];
    await answer("allow_once");
    await answer("reject_once");
    expect(await Promise.all(both)).toEqual(["allowed", "denied"]);
    expect(client.questions.map(({ toolCall }) => toolCall.title)).toEqual(["`a`", "`b`"]);
  });

  it.each([
    ["allow_always", "allowed"],
    ["reject_always", "denied"],
  ])("settles with %s all others that wait", async (optionId, outcome) => {
    const { client, answer } = waitingClient();
    const { ask } = asking(client);
    const all = ["a", "b", "c", "a"].map((command) => ask({ name: "bash", args: { command } }));
    await answer(optionId);
    expect(await Promise.all(all)).toEqual([outcome, outcome, outcome, outcome]);
    expect(client.questions).toHaveLength(1);
  });

  it("settles the others that wait also when the answer cannot be remembered", async () => {
    const { client, answer } = waitingClient();
    const forgetful = { get: () => undefined, set: () => Promise.reject(new Error("disk full")) };
    const { ask } = asking(client, { store: forgetful, log: () => undefined });
    const all = ["a", "b"].map((command) => ask({ name: "bash", args: { command } }));
    await answer("allow_always");
    expect(await Promise.all(all)).toEqual(["allowed", "allowed"]);
  });

  it("asks about different tools at the same time", async () => {
    const { client, answer } = waitingClient();
    const { ask } = asking(client);
    const both = [ask({ name: "bash" }), ask({ name: "write" })];
    await expect.poll(() => client.questions).toHaveLength(2);
    await answer("allow_once");
    await answer("reject_once");
    expect(await Promise.all(both)).toEqual(["allowed", "denied"]);
  });

  it("lets the next one ask when the one who asked was cancelled", async () => {
    const { client, answer } = waitingClient();
    const { ask } = asking(client);
    const cancel = new AbortController();
    const first = ask({ name: "bash", args: { command: "a" }, signal: cancel.signal });
    const second = ask({ name: "bash", args: { command: "a" } });
    await expect.poll(() => client.questions).toHaveLength(1);
    cancel.abort();
    expect(await first).toBe("cancelled");
    await expect.poll(() => client.questions).toHaveLength(2);
    await answer("allow_always"); // to the question that was withdrawn: not heard
    await answer("reject_once");
    expect(await second).toBe("denied");
  });

  it("asks when what is remembered cannot be read, and keeps an answer that cannot be remembered", async () => {
    const log = vi.fn<(message: string) => void>();
    const broken = {
      get: () => Promise.reject(new Error("disk on fire")),
      set: () => Promise.reject(new Error("disk on fire")),
    };
    const client = recordingClient(() => selected("allow_always"));
    const { ask } = asking(client, { store: broken, log });
    expect(await ask({ name: "bash" })).toBe("allowed");
    expect(log.mock.calls.map(([message]) => message)).toEqual([
      expect.stringContaining("cannot be read"),
      expect.stringContaining("cannot be remembered"),
    ]);
  });

  it("withdraws the question at the client when the call is cancelled", async () => {
    const client = sdkClient(() => new Promise(() => undefined));
    const { ask } = asking(client);
    const cancel = new AbortController();
    const call = ask({ name: "bash", signal: cancel.signal });
    await expect.poll(() => client.questions).toHaveLength(1);
    cancel.abort();
    expect(await call).toBe("cancelled");
    client.close();
  });
});
