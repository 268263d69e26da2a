// Who decides what Claude Code may do, over stdio and for real: the person, Claude Code's rules, the mode.
import { existsSync } from "node:fs";
import { join } from "node:path";
import { methods } from "@agentclientprotocol/sdk";
import { describe, expect, it } from "vitest";
import { TemporaryFolder } from "../support/host-process.ts";
import { ModelServer } from "../support/model-server/model-server.ts";
import { everything } from "./claude-client.ts";
import { acp, madeOf, modelRequests, resultsIn, stage, withClaudeSdk } from "./claude-stage.ts";

withClaudeSdk();

describe("who decides", () => {
  const write = (folder: string, name: string) => acp("Write", { file_path: join(folder, name), content: "x" });

  it("does nothing that was denied, and goes on", async () => {
    await using on = await stage((folder) => ({
      Begin: [write(folder, "no.txt"), acp("Bash", { command: "touch no" }), "I was denied."],
    }));
    await using client = await on.client({ person: () => "reject_once" });
    const { sessionId } = await client.newSession(on.work.path);
    expect(await client.prompt(sessionId, "Begin")).toEqual({ stopReason: "end_turn" });
    expect(existsSync(on.work.in("no.txt")) || existsSync(on.work.in("no"))).toBe(false);
    expect(client.terminals.size).toBe(0);
    expect(client.calls).toMatchObject([{ status: "failed" }, { status: "failed" }]);
    expect(JSON.stringify(client.calls[0]?.content)).toContain("The user denied this.");
    // What was denied never ran, so it is at no time shown as running.
    const states = client.updates.flatMap((update) => ("toolCallId" in update ? (update.status ?? []) : []));
    expect(states.toSorted()).toEqual(["failed", "failed", "pending", "pending"]);
    expect(client.text).toBe("I was denied.");
  });

  it("remembers an always for the session, and writes no settings into the folder", async () => {
    await using on = await stage((folder) => ({
      Begin: [write(folder, "1.txt"), write(folder, "2.txt"), "Done."],
      Again: [write(folder, "3.txt"), "Done."],
    }));
    await using client = await on.client({ person: () => "allow_always" });
    const { sessionId } = await client.newSession(on.work.path);
    await client.prompt(sessionId, "Begin");
    expect(client.questions).toHaveLength(1);
    expect(client.questions[0]?.options[0]?.name).toBe("Always allow Write for everything in this session");
    await client.leave();
    await using next = await on.client({ person: () => "reject_once" });
    const other = await next.newSession(on.work.path);
    await next.prompt(other.sessionId, "Again");
    expect(next.questions).toHaveLength(1);
    expect(existsSync(on.work.in("3.txt"))).toBe(false);
    expect(existsSync(on.work.in(".claude"))).toBe(false);
  });

  it("follows the mode: accepted edits, plans without changes, and the way out of them", async () => {
    await using on = await stage((folder) => ({
      Edit: [write(folder, "accepted.txt"), "Done."],
      Plan: [
        write(folder, "planned.txt"),
        { name: "ExitPlanMode", input: { plan: "# The plan" } },
        write(folder, "after.txt"),
        "Done.",
      ],
    }));
    await using client = await on.client({
      person: ({ toolCall }) => (toolCall.name === "ExitPlanMode" ? "allow_always" : "reject_once"),
    });
    const { sessionId, modes } = await client.newSession(on.work.path);
    expect(modes?.availableModes.map(({ id }) => id)).toEqual(["default", "acceptEdits", "plan"]);
    const setMode = async (modeId: string) =>
      await client.agent.request(methods.agent.session.setMode, { sessionId, modeId });
    await setMode("acceptEdits");
    await client.prompt(sessionId, "Edit");
    expect(client.questions).toEqual([]);
    expect(existsSync(on.work.in("accepted.txt"))).toBe(true);

    await setMode("plan");
    await client.prompt(sessionId, "Plan");
    expect(existsSync(on.work.in("planned.txt"))).toBe(false);
    expect(client.questions.map(({ toolCall }) => toolCall.title)).toEqual(["Leave plan mode"]);
    expect(client.questions[0]?.toolCall.content).toMatchObject([{ content: { text: "# The plan" } }]);
    // The answer was to accept edits from there on.
    expect(client.ofKind("current_mode_update").at(-1)).toMatchObject({ currentModeId: "acceptEdits" });
    expect(existsSync(on.work.in("after.txt"))).toBe(true);
    await expect(setMode("bypassPermissions")).rejects.toMatchObject({ code: -32602 });
  });

  it("offers to ask for nothing only where Claude Code allows that, and then asks for nothing", async () => {
    await using on = await stage((folder) => ({ Begin: [write(folder, "a.txt"), "Done."] }), { IS_SANDBOX: "1" });
    await using client = await on.client({ person: () => "reject_once" });
    const { sessionId } = await client.newSession(on.work.path);
    await client.agent.request(methods.agent.session.setMode, { sessionId, modeId: "bypassPermissions" });
    await client.prompt(sessionId, "Begin");
    expect(client.questions).toEqual([]);
    expect(existsSync(on.work.in("a.txt"))).toBe(true);
  });

  it("lets the person answer Claude's questions", async () => {
    const questions = [
      {
        question: "Which one?",
        header: "One",
        multiSelect: false,
        options: [
          { label: "Red", description: "r" },
          { label: "Blue", description: "b" },
        ],
      },
    ];
    await using on = await stage({ Begin: [{ name: "AskUserQuestion", input: { questions } }, "Done."] });
    await using client = await on.client();
    const { sessionId } = await client.newSession(on.work.path);
    await client.prompt(sessionId, "Begin");
    expect(client.questions).toMatchObject([
      { toolCall: { title: "Which one?" }, options: [{ name: "Red" }, { name: "Blue" }, { kind: "reject_once" }] },
    ]);
    expect(resultsIn(on.model)[0]).toContain('"Which one?"="Red"');
  });

  it("gives a client that shows forms all of Claude's questions in one, also those with several answers", async () => {
    const options = ["Red", "Blue"].map((label) => ({ label, description: label }));
    const questions = [
      { question: "Which one?", header: "One", multiSelect: false, options },
      { question: "Which ones?", header: "More", multiSelect: true, options },
    ];
    await using on = await stage({ Begin: [{ name: "AskUserQuestion", input: { questions } }, "Done."] });
    await using client = await on.client({
      capabilities: { ...everything, elicitation: { form: {} } },
      form: { answer_1: "Blue", answer_2: ["Red", "Blue"] },
    });
    const { sessionId } = await client.newSession(on.work.path);
    await client.prompt(sessionId, "Begin");
    expect(client.forms).toHaveLength(1);
    expect(client.questions).toEqual([]);
    expect(resultsIn(on.model)[0]).toContain('"Which one?"="Blue", "Which ones?"="Red, Blue"');
  });

  it("lets Claude write its plan in plan mode, and shows it when it wants to leave", async () => {
    const work = new TemporaryFolder();
    const model = await ModelServer.start(({ tools, messages }) => {
      if (tools.length === 0) return { text: "A title" };
      const results = messages.flatMap(({ toolResults = [] }) => toolResults).length;
      const file_path = /create your plan at (\S+\.md)/.exec(JSON.stringify(messages))?.[1];
      if (results === 0) return { toolCalls: [{ name: "Write", input: { file_path, content: "# Plan in a file" } }] };
      return results === 1 ? { toolCalls: [{ name: "ExitPlanMode", input: {} }] } : { text: "As you say." };
    });
    await using on = madeOf(model, work);
    await using client = await on.client({ person: () => "reject_once" });
    const { sessionId } = await client.newSession(work.path);
    await client.agent.request(methods.agent.session.setMode, { sessionId, modeId: "plan" });
    expect(await client.prompt(sessionId, "Begin")).toEqual({ stopReason: "end_turn" });
    expect(client.calls).toMatchObject([
      { name: "Write", status: "completed" },
      { name: "ExitPlanMode", status: "failed" },
    ]);
    // Its plan is Claude's own: no client is asked to write outside the folder.
    expect(client.called).toEqual([methods.client.session.requestPermission]);
    expect(client.questions).toMatchObject([{ toolCall: { content: [{ content: { text: "# Plan in a file" } }] } }]);
  });

  it("asks the model that was chosen", async () => {
    await using on = await stage({ Begin: ["Hello."], Again: ["Hello."] });
    await using client = await on.client();
    const { sessionId, configOptions } = await client.newSession(on.work.path);
    expect(configOptions).toMatchObject([{ id: "model", category: "model", type: "select" }]);
    await client.prompt(sessionId, "Begin");
    const set = { sessionId, configId: "model", value: "haiku" };
    const answer = await client.agent.request(methods.agent.session.setConfigOption, set);
    expect(answer).toMatchObject({ configOptions: [{ currentValue: "haiku" }] });
    await client.prompt(sessionId, "Again");
    const [before, after] = modelRequests(on.model).map(({ model }) => model);
    expect(after).toContain("haiku");
    expect(before).not.toContain("haiku");
  });
});
