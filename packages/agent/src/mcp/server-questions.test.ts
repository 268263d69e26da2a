// The questions of MCP servers, against a real one: where they go, and what stops a flood of them.
import { join } from "node:path";
import type { CreateElicitationRequest, CreateElicitationResponse } from "@agentclientprotocol/sdk";
import { describe, expect, it } from "vitest";
import { ServerQuestions } from "./server-questions.ts";
import { nodeServer, testSession } from "./testing/mcp-session.ts";

const full = nodeServer("full", [join(import.meta.dirname, "testing/full-server.mjs")]);

describe("the questions of an MCP server", () => {
  it("come one at a time, ten at most for a call, and none where the client shows no forms", async () => {
    let [open, most, asked] = [0, 0, 0];
    const create = async (): Promise<CreateElicitationResponse> => {
      most = Math.max(most, ++open);
      asked++;
      await new Promise((resolve) => setImmediate(resolve));
      open--;
      return { action: "accept", content: { colour: "red" } };
    };
    await using test = await testSession(() => [full], { elicitations: { form: true, url: false, create } });
    const { text } = await test.call("mcp__full__ask", { times: 500 });
    expect(text.split(" ").filter((answer) => answer === "red")).toHaveLength(10);
    expect(text.split(" ").filter((answer) => answer === "decline")).toHaveLength(490);
    expect([most, asked]).toEqual([1, 10]);
    await using without = await testSession(() => [full]);
    expect((await without.call("mcp__full__ask")).text).not.toContain("red");
  });

  it("are declined without a call, cleaned, and cancelled with the call", async () => {
    const requests: CreateElicitationRequest[] = [];
    const elicitations = {
      form: true,
      url: true,
      create: (request: CreateElicitationRequest, signal: AbortSignal) => {
        requests.push(request);
        return new Promise<CreateElicitationResponse>((_, reject) =>
          signal.addEventListener("abort", () => reject(signal.reason)),
        );
      },
    };
    const questions = new ServerQuestions({ server: "a\nb", sessionId: "s", elicitations });
    const never = new AbortController().signal;
    const question = { message: "Your \u001b[1mname\u202e?\u{e0041}", requestedSchema: {} };
    expect(await questions.ask(question, never)).toEqual({ action: "decline" });
    const stop = new AbortController();
    const answer = questions.during({ signal: stop.signal, toolCallId: "c" }, async () => {
      expect(await questions.ask({ ...question, requestedSchema: { x: "y".repeat(60_000) } }, never)).toEqual({
        action: "decline",
      });
      const asked = questions.ask(question, never);
      await expect.poll(() => requests.length).toBe(1);
      stop.abort();
      return await asked;
    });
    expect(await answer).toEqual({ action: "cancel" });
    expect(requests).toMatchObject([{ message: "The MCP server a b asks: Your name?", toolCallId: "c" }]);
  });
});
