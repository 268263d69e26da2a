// Whole turns over stdio with a scripted model behind real HTTP: the loop, its limits, what is shown, and what the model gets back.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { exampleJpeg, exampleScan } from "../../packages/agent-kit/src/documents/example-pdf.ts";
import { AgentClient } from "../support/agent-process.ts";
import { AgentStage as Stage } from "../support/agent-stage.ts";
import type { SeenRequest } from "../support/model-server/seen-request.ts";

const call = (name: string, input: object) => ({ name, input });
const isClassification = ({ system }: SeenRequest) => system.startsWith("You sort messages");

describe("a turn", () => {
  it("keeps keys from commands, also those whose variable only the config knows", async () => {
    await using stage = await Stage.open([{ toolCalls: [call("bash", { command: "env" })] }, { text: "Done." }], {
      config: {
        permissions: [{ decision: "allow" }],
        providers: { anthropic: { api_key_env: "WORK_MODEL" }, openai: { api_key_env: "OTHER_MODEL" } },
      },
      env: { WORK_MODEL: "very-secret-1", OTHER_MODEL: "very-secret-2", MY_OWN: "plain" },
    });
    await stage.prompt("Show the environment.");
    const [environment] = stage.results();
    expect(environment).toContain("MY_OWN=plain");
    expect(environment).not.toContain("very-secret");
  });

  it("streams thoughts and text, runs tools, feeds back, and goes on until plain text", async () => {
    await using stage = await Stage.open([
      { thinking: "Let me see.", text: "Looking.", toolCalls: [call("read", { path: "a.txt" })] },
      { text: "It says alpha." },
    ]);
    expect(await stage.prompt("What is in a.txt?")).toEqual({ stopReason: "end_turn" });
    const kinds = stage.agent.updates.map(({ update }) => update.sessionUpdate);
    expect(kinds.indexOf("agent_thought_chunk")).toBeLessThan(kinds.indexOf("agent_message_chunk"));
    expect(kinds.indexOf("agent_message_chunk")).toBeLessThan(kinds.indexOf("tool_call"));
    expect(kinds.lastIndexOf("tool_call_update")).toBeLessThan(kinds.lastIndexOf("agent_message_chunk"));
    expect(stage.agent.text()).toBe("Looking.It says alpha.");
    expect(stage.results()).toEqual(["alpha\n"]);
    const [first] = stage.server.requests;
    expect(first?.system).toContain(stage.project);
    expect(first?.tools).toEqual(expect.arrayContaining(["bash", "read", "write", "edit", "grep", "todo_write"]));
  });

  it("takes text into a running turn", async () => {
    const wait = "while [ ! -e go ]; do sleep 0.02; done";
    await using stage = await Stage.open(
      [{ toolCalls: [call("bash", { command: wait })] }, { text: "Done quickly." }],
      { config: { permissions: [{ decision: "allow" }] } },
    );
    const { agent, sessionId, server } = stage;
    const steer = (text: string) =>
      agent.agent.request<object>("_session/steering", { sessionId, prompt: [{ type: "text", text }] });
    expect(agent.initialized?._meta).toMatchObject({ steering: { supported: true } });
    expect(await steer("Hello?")).toEqual({ outcome: "promptRequired" });
    const turn = stage.prompt("Wait");
    await agent.until(() => agent.ofKind("tool_call").length > 0);
    expect(await steer("Be quick.")).toEqual({ outcome: "injected" });
    stage.put("go", "");
    expect(await turn).toEqual({ stopReason: "end_turn" });
    const asked = server.requests.map(({ messages }) => messages.at(-1)?.text);
    expect(asked).toEqual(["Wait", expect.stringContaining("Be quick.")]);
    await expect(agent.agent.request("_session/steering", { sessionId, prompt: "words" })).rejects.toThrow();
  });

  it("shows a call while its input is still being written", async () => {
    const content = "line\n".repeat(100);
    await using stage = await Stage.open([
      { toolCalls: [call("write", { path: "long.txt", content })], fault: { type: "slow", ms: 20 } },
      { text: "Done." },
    ]);
    await stage.prompt("Write");
    const updates = stage.agent.updates.map(({ update }) => update);
    const announced = updates.findIndex(({ sessionUpdate }) => sessionUpdate === "tool_call");
    const partial = updates.findIndex((update) => {
      const input = update.sessionUpdate === "tool_call_update" ? (update.rawInput as { content?: string }) : undefined;
      return input?.content !== undefined && input.content.length > 0 && input.content.length < content.length;
    });
    expect(announced).toBeGreaterThanOrEqual(0);
    expect(partial).toBeGreaterThan(announced);
    expect(updates[partial]).toMatchObject({ title: "Write `long.txt`" });
  });

  it("runs what changes something in order, and gives results back in the order asked", async () => {
    await using stage = await Stage.open([
      {
        toolCalls: [
          call("read", { path: "a.txt" }),
          call("bash", { command: "echo one > order; sleep 0.3; echo two >> order" }),
          call("bash", { command: "echo three >> order" }),
          call("read", { path: "order" }),
          call("read", { path: "b.txt" }),
        ],
      },
      { text: "Done." },
    ]);
    expect(await stage.prompt("Go")).toEqual({ stopReason: "end_turn" });
    expect(stage.results()).toEqual(["alpha\n", expect.any(String), expect.any(String), "one\ntwo\nthree\n", "beta\n"]);
  });

  it("tells a model once that it wrote a call as text, and then ends with an error that names the server's tool parser", async () => {
    const written = { text: '<tool_call>{"name": "read", "arguments": {"path": "a.txt"}}</tool_call>' };
    await using mended = await Stage.open([
      written,
      { toolCalls: [call("read", { path: "a.txt" })] },
      { text: "Got it." },
    ]);
    expect(await mended.prompt("Read")).toEqual({ stopReason: "end_turn" });
    expect(mended.server.requests[1]?.messages.at(-1)?.text).toContain("you wrote a call of read as text");
    expect(mended.results()).toEqual(["alpha\n"]);
    await using stubborn = await Stage.open([written, written]);
    await expect(stubborn.prompt("Read")).rejects.toThrow("writes its tool calls as text");
  });

  it("lets the model mend what it got wrong: broken JSON, a wrong input, a tool that is not there", async () => {
    await using stage = await Stage.open([
      { toolCalls: [{ name: "read", broken: '{"path": "a' }] },
      { toolCalls: [call("read", { place: "a.txt" })] },
      { toolCalls: [call("open", { path: "a.txt" })] },
      { toolCalls: [call("read", { path: "a.txt" })] },
      { text: "Got it." },
    ]);
    expect(await stage.prompt("Read")).toEqual({ stopReason: "end_turn" });
    expect(stage.results()).toEqual([
      expect.stringMatching(/not valid JSON \(Unterminated string in JSON at position 11/),
      expect.stringContaining("not valid"),
      expect.stringContaining("There is no tool open"),
      "alpha\n",
    ]);
    const ended = stage.agent
      .ofKind("tool_call_update")
      .filter(({ status }) => status === "failed" || status === "completed");
    expect(ended.map(({ status }) => status)).toEqual(["failed", "failed", "failed", "completed"]);
  });

  it("gives the model both ends of a long output and a file with all of it, and shows the person everything", async () => {
    await using stage = await Stage.open((_, index) => {
      if (index === 0) return { toolCalls: [call("bash", { command: "seq 1 20000; echo FAIL; exit 1" })] };
      if (index > 1) return { text: "Long." };
      const file = /All of it is in (\S+):/.exec(stage.results()[0] ?? "")?.[1];
      return {
        toolCalls: [call("bash", { command: `wc -l < ${file}` }), call("read", { path: file, line: 10_000, limit: 1 })],
      };
    });
    await stage.prompt("Count");
    const [result = "", lines, line] = stage.results();
    expect(result.length).toBeLessThan(30_300);
    expect(result).toMatch(/^Exit code 1\n1\n2\n/);
    expect(result).toMatch(/\n20000\nFAIL\n$/);
    expect(lines?.trim()).toBe("20002");
    expect(line).toMatch(/^9999\n/);
    const shown = stage.agent.ofKind("tool_call_update").map(({ content }) => JSON.stringify(content));
    expect(shown.some((content) => content?.includes("\\n9999\\n10000\\n") && content.includes("FAIL"))).toBe(true);
  });

  it("lets a command whose time is up go on in the background, and tells the model", async () => {
    await using stage = await Stage.open(
      [{ toolCalls: [call("bash", { command: "echo so far; sleep 60" })] }, { text: "Ok." }],
      {
        config: { limits: { tool_timeout_s: 0.5 } },
      },
    );
    expect(await stage.prompt("Wait")).toEqual({ stopReason: "end_turn" });
    expect(stage.results()[0]).toMatch(/^It still runs, and goes on in the background as \w+\..*so far/s);
  });

  it("takes images, links and embedded resources in a prompt", async () => {
    await using stage = await Stage.open([{ text: "Seen." }]);
    await stage.agent.agent.request("session/prompt", {
      sessionId: stage.sessionId,
      prompt: [
        { type: "text", text: "Look: " },
        { type: "resource_link", uri: "file:///x/y.ts", name: "y.ts" },
        { type: "resource", resource: { uri: "file:///z.md", text: "the content of z" } },
        { type: "image", data: "iVBORw0KGgo=", mimeType: "image/png" },
        {
          type: "resource",
          resource: {
            uri: "file:///p.pdf",
            mimeType: "application/pdf",
            blob: exampleScan(exampleJpeg).toString("base64"),
          },
        },
      ],
    });
    const [message] = stage.server.requests[0]?.messages ?? [];
    expect(message).toMatchObject({ role: "user", images: 2 });
    expect(message?.text).toMatch(
      /Look: .*file:\/\/\/x\/y\.ts.*the content of z.*p\.pdf is a PDF document with 1 page and no text.*Page 1/s,
    );
  });

  it("tells what was used, and what it cost where the price is known", async () => {
    await using stage = await Stage.open([
      { toolCalls: [call("read", { path: "a.txt" })], usage: { input: 1000, output: 100, cached: 400 } },
      { text: "Done.", usage: { input: 2000, output: 50 } },
    ]);
    await stage.prompt("Go");
    const [first, last] = stage.agent.ofKind("usage_update");
    expect(first).toMatchObject({ used: 1100, size: 200_000 });
    expect(first?.cost?.amount).toBeCloseTo((600 * 3 + 400 * 0.3 + 100 * 15) / 1e6, 9);
    expect(last).toMatchObject({ used: 2050, cost: { currency: "USD" } });
    expect(last?.cost?.amount).toBeCloseTo((600 * 3 + 400 * 0.3 + 100 * 15 + 2000 * 3 + 50 * 15) / 1e6, 9);
  });
});

describe("the reasons to stop", () => {
  const looping = (_request: SeenRequest, index: number) => ({
    toolCalls: [call("read", { path: "a.txt", limit: index + 1 })],
  });

  it("are a limit of requests", async () => {
    await using stage = await Stage.open(looping, { config: { limits: { max_turns: 4 } } });
    expect(await stage.prompt("Go on and on")).toEqual({ stopReason: "max_turn_requests" });
    expect(stage.server.requests).toHaveLength(4);
    expect(stage.agent.text()).toContain("Stopped after 4 requests");
  });

  it("are identical calls with identical results: from the third on the model is told, and after three times the turn ends", async () => {
    await using stage = await Stage.open(() => ({ toolCalls: [call("read", { path: "a.txt" })] }));
    expect(await stage.prompt("Go in circles")).toEqual({ stopReason: "max_turn_requests" });
    expect(stage.server.requests).toHaveLength(6);
    expect(stage.agent.text()).toContain("again and again with the same input and the same result");
    const statuses = stage.agent
      .ofKind("tool_call_update")
      .flatMap(({ status }) => (status === "completed" || status === "failed" ? [status] : []));
    expect(statuses.toSorted()).toEqual(["completed", "completed", "failed", "failed", "failed", "failed"]);
    expect(stage.results()).toEqual([
      "alpha\n",
      "alpha\n",
      ...Array(3).fill(expect.stringContaining("the same result twice")),
    ]);
  });

  it("are not identical calls whose results differ, such as a flaky test that is run again", async () => {
    await using stage = await Stage.open((_, index) =>
      index < 8 ? { toolCalls: [call("bash", { command: "date +%s%N" })] } : { text: "It passed." },
    );
    expect(await stage.prompt("Run it until it passes")).toEqual({ stopReason: "end_turn" });
    expect(stage.server.requests).toHaveLength(9);
  });

  it("are a budget", async () => {
    const usage = { input: 1_000_000, output: 0 };
    await using stage = await Stage.open((request, index) => ({ ...looping(request, index), usage }), {
      config: { limits: { budget_usd: 5 } },
    });
    expect(await stage.prompt("Spend")).toEqual({ stopReason: "max_turn_requests" });
    expect(stage.server.requests).toHaveLength(2);
    expect(stage.agent.text()).toContain("budget of $5");
  });

  it("are no budget where the price is unknown, which is reported", async () => {
    await using stage = await Stage.open([{ toolCalls: [call("read", { path: "a.txt" })] }, { text: "Done." }], {
      config: { limits: { budget_usd: 5 } },
      flags: ["--provider", "anthropic", "--model", "claude-of-tomorrow"],
    });
    expect(await stage.prompt("Spend")).toEqual({ stopReason: "end_turn" });
    expect(stage.agent.text()).toContain("the price of claude-of-tomorrow is not known");
    expect(stage.agent.ofKind("usage_update").every(({ cost }) => cost === undefined)).toBe(true);
  });

  it("are answers without a word, after the model was asked again: a failure, unless it has worked before", async () => {
    const calls = [call("read", { path: "a.txt" })];
    const thought = { thinking: "Hm.", signature: "s" };
    await using stage = await Stage.open([
      {},
      { text: "Here." },
      thought,
      { text: " " },
      { toolCalls: calls },
      thought,
      {},
      { text: "Four." },
    ]);
    expect(await stage.prompt("One")).toEqual({ stopReason: "end_turn" });
    expect(stage.agent.text()).toBe("Here.");
    await expect(stage.prompt("Two")).rejects.toMatchObject({
      code: -32_603,
      message: expect.stringMatching(/^claude-sonnet-4-5 returned an empty answer twice\./),
    });
    expect(await stage.prompt("Three")).toEqual({ stopReason: "end_turn" });
    expect(stage.agent.text()).toContain("claude-sonnet-4-5 said nothing more.");
    expect(await stage.prompt("Four")).toEqual({ stopReason: "end_turn" });
    // A thought without a word is no answer: no request goes out that ends with one.
    const ends = stage.server.requests.map(({ messages }) => messages.at(-1)?.role);
    expect(ends).toEqual(["user", "user", "user", "user", "user", "tool", "tool", "user"]);
  });

  it("are never a result that the provider refuses: words take its place, and the session goes on", async () => {
    const png = Buffer.from(
      "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABh6FO1AAAAABJRU5ErkJggg==",
      "base64",
    );
    await using stage = await Stage.open((request, index) => {
      if (JSON.stringify(request.body).includes('"image"'))
        return { status: 400, message: "image exceeds 5 MB maximum" };
      if (JSON.stringify(request.body).includes("poison")) return { status: 400, message: "invalid characters" };
      if (index === 0) return { toolCalls: [call("READ", { path: "p.png" }), call("read", { path: "a.txt" })] };
      return index === 2 ? { toolCalls: [call("read", { path: "bad.txt" })] } : { text: "Went on." };
    });
    writeFileSync(join(stage.project, "p.png"), png);
    stage.put("bad.txt", "poison");
    expect(await stage.prompt("Look")).toEqual({ stopReason: "end_turn" });
    expect(stage.results()).toEqual([
      expect.stringMatching(/^\[Left out.*5 MB maximum/),
      "alpha\n",
      expect.stringMatching(/^\[Left out.*invalid characters/),
    ]);
    expect(stage.agent.text()).toContain("Trying again without the newest image");
    expect(await stage.prompt("And now?")).toEqual({ stopReason: "end_turn" });
  });

  it("are plain text, also when the model says that it calls something and does not", async () => {
    await using stage = await Stage.open([{ text: "That is all.", finish: "tool_calls" }]);
    expect(await stage.prompt("Hi")).toEqual({ stopReason: "end_turn" });
  });

  it("are the model's own: out of tokens, and refusal, after which the prompt is forgotten", async () => {
    await using stage = await Stage.open([
      { text: "So far", finish: "max_tokens" },
      { text: "No.", finish: "refusal" },
      { text: "Yes." },
    ]);
    expect(await stage.prompt("Write a book")).toEqual({ stopReason: "max_tokens" });
    expect(await stage.prompt("Do evil")).toEqual({ stopReason: "refusal" });
    expect(await stage.prompt("Do good")).toEqual({ stopReason: "end_turn" });
    const texts = stage.server.requests[2]?.messages.map(({ text }) => text);
    expect(texts).toEqual(["Write a book", "So far", "Do good"]);
  });

  it("[R5] never leave a call without an end, also when the answer breaks off inside one", async () => {
    await using stage = await Stage.open([
      { toolCalls: [call("read", { path: "a.txt" })], finish: "max_tokens" },
      { text: "Now." },
    ]);
    expect(await stage.prompt("Read")).toEqual({ stopReason: "max_tokens" });
    expect(stage.agent.ofKind("tool_call_update").at(-1)).toMatchObject({ status: "failed" });
    expect(await stage.prompt("Again")).toEqual({ stopReason: "end_turn" });
    expect(stage.results()).toEqual([expect.stringContaining("the answer was truncated")]);
  });
});

describe("cancel", () => {
  const within = async (stage: Stage, turn: Promise<unknown>) => {
    const begun = performance.now();
    await stage.agent.cancel(stage.sessionId);
    expect(await turn).toEqual({ stopReason: "cancelled" });
    expect(performance.now() - begun).toBeLessThan(10_000);
  };

  it("ends an answer that streams, and one that says nothing", async () => {
    await using stage = await Stage.open([
      { text: "word ".repeat(1000), fault: { type: "slow", ms: 10 } },
      { fault: { type: "stall", after: 1 } },
      { text: "Back." },
    ]);
    const first = stage.prompt("Talk");
    await stage.agent.until(() => stage.agent.text() !== "");
    await within(stage, first);
    const second = stage.prompt("Hang");
    await expect.poll(() => stage.server.requests.length).toBe(2);
    await within(stage, second);
    expect(await stage.prompt("And now?")).toEqual({ stopReason: "end_turn" });
    // What was said before the cancel is part of the conversation.
    expect(stage.server.requests[2]?.messages[1]).toMatchObject({
      role: "assistant",
      text: expect.stringMatching(/^word /),
    });
  });

  it("ends a tool that runs, with a result for every call", async () => {
    await using stage = await Stage.open([
      { toolCalls: [call("bash", { command: "sleep 60" }), call("read", { path: "a.txt" })] },
      { text: "Back." },
    ]);
    const turn = stage.prompt("Sleep");
    await stage.agent.until(() =>
      stage.agent.ofKind("tool_call_update").some(({ status }) => status === "in_progress"),
    );
    await within(stage, turn);
    const ended = stage.agent.ofKind("tool_call_update").filter(({ status }) => status === "failed");
    expect(ended).toHaveLength(2);
    await stage.prompt("Again");
    expect(stage.results()).toEqual(["Cancelled by the user.", "Cancelled by the user."]);
  });

  it("[R6] ends a permission request without an answer", async () => {
    await using stage = await Stage.open([{ toolCalls: [call("write", { path: "c.txt", content: "x" })] }], {
      permission: () => null,
    });
    const turn = stage.prompt("Ask me");
    await stage.agent.until(() => stage.agent.questions.length > 0);
    await within(stage, turn);
    expect(stage.agent.ofKind("tool_call_update").at(-1)).toMatchObject({ status: "failed" });
  });

  it("ends the prompts that wait, too; those that come later run", async () => {
    await using stage = await Stage.open([
      { text: "word ".repeat(1000), fault: { type: "slow", ms: 10 } },
      { text: "Later." },
    ]);
    const first = stage.prompt("one");
    const second = stage.prompt("two");
    await stage.agent.until(() => stage.agent.text() !== "");
    await within(stage, first);
    expect(await second).toEqual({ stopReason: "cancelled" });
    expect(await stage.prompt("three")).toEqual({ stopReason: "end_turn" });
    expect(stage.server.requests).toHaveLength(2);
  });
});

describe("permission", () => {
  it("is asked before anything changes, with the diff; a no goes to the model and changes nothing", async () => {
    await using stage = await Stage.open(
      [
        { toolCalls: [call("read", { path: "a.txt" })] },
        { toolCalls: [call("edit", { path: "a.txt", old_string: "alpha", new_string: "omega" })] },
        { text: "Pity." },
      ],
      { permission: () => "reject_once" },
    );
    expect(await stage.prompt("Edit")).toEqual({ stopReason: "end_turn" });
    expect(stage.agent.questions).toHaveLength(1);
    expect(stage.agent.questions[0]?.toolCall).toMatchObject({
      kind: "edit",
      title: "Edit `a.txt`",
      content: [{ type: "diff", oldText: "alpha\n", newText: "omega\n" }],
    });
    expect(stage.results().at(-1)).toContain("did not allow");
  });

  it("follows the user's rules, of which the project can add only stricter ones", async () => {
    const calls = ["git status", "git status; touch evil", "npm test"].map((command) => call("bash", { command }));
    await using stage = await Stage.open([{ toolCalls: calls }, { text: "Done." }], {
      config: {
        permissions: [
          { decision: "allow", command: "git *" },
          { decision: "deny", tool: "bash", command: "npm *" },
        ],
        sandbox: { ask_commands: true },
      },
      permission: () => "reject_once",
    });
    await stage.prompt("Go");
    expect(stage.agent.questions.map(({ toolCall }) => toolCall.title)).toEqual(["`git status; touch evil`"]);
    expect(stage.results()).toEqual([
      expect.any(String),
      expect.stringContaining("did not allow"),
      expect.stringContaining("a rule forbids it"),
    ]);
  });

  it("is not needed to read, and not to be had in plan mode", async () => {
    await using stage = await Stage.open([
      { toolCalls: [call("read", { path: "a.txt" }), call("write", { path: "c.txt", content: "x" })] },
      { text: "A plan." },
    ]);
    await stage.agent.agent.request("session/set_mode", { sessionId: stage.sessionId, modeId: "plan" });
    await stage.prompt("Plan");
    expect(stage.agent.questions).toEqual([]);
    const forReading = ["bash_output", "read", "list_directory", "grep", "find_path", "todo_write", "task"];
    expect(stage.server.requests[0]?.tools).toEqual(forReading);
    expect(stage.server.requests[0]?.system).toContain("Plan mode");
    expect(stage.results()).toEqual(["alpha\n", expect.stringContaining("There is no tool write")]);
  });
});

describe("a provider that fails", () => {
  it("is asked again without a word before anything was shown, and with a note after", async () => {
    await using stage = await Stage.open([
      { status: 529, message: "Overloaded" },
      { text: "One two three.", fault: { type: "drop", after: 5 } },
      { text: "Whole." },
    ]);
    expect(await stage.prompt("Hi")).toEqual({ stopReason: "end_turn" });
    expect(stage.agent.text()).toMatch(/^One .*broke off.*asking again.*Whole\.$/s);
    expect(stage.agent.text()).not.toContain("Overloaded");
  });

  it("is quoted when it says no, with the remedy; the session goes on, without the prompt that was not taken", async () => {
    await using stage = await Stage.open([
      { status: 401, message: "invalid x-api-key" },
      { status: 400, message: "image exceeds 5 MB" },
      { text: "Fine." },
    ]);
    await expect(stage.prompt("one")).rejects.toMatchObject({
      code: -32_603,
      message: expect.stringMatching(/anthropic answered 401: invalid x-api-key.*ANTHROPIC_API_KEY/),
      data: { code: "unauthorized" },
    });
    await expect(stage.prompt("two")).rejects.toMatchObject({ message: expect.stringContaining("image exceeds 5 MB") });
    expect(await stage.prompt("three")).toEqual({ stopReason: "end_turn" });
    expect(stage.server.requests.at(-1)?.messages).toMatchObject([{ role: "user", text: "three" }]);
  });

  it("says which key is missing when the session is opened", async () => {
    await using stage = await Stage.open([{ text: "x" }]);
    await using agent = await AgentClient.start({
      home: stage.home,
      flags: ["--provider", "openai"],
      env: { OPENAI_API_KEY: "" },
    });
    await expect(agent.newSession(stage.project)).rejects.toMatchObject({
      code: -32_000,
      message: "openai needs a key: set OPENAI_API_KEY in the environment.",
    });
  });
});

describe("a long conversation", () => {
  it("is compacted before it is too long, visibly; the model goes on with the summary and the newest messages", async () => {
    const filler = "x".repeat(40_000);
    await using stage = await Stage.open(
      (request) => {
        if (request.system.startsWith("You keep the notes")) return { text: "SUMMARY: they counted to two." };
        const turns = request.messages.filter(({ role }) => role === "user").length;
        return { text: `Answer ${turns}.`, usage: { input: turns * 12_000, output: 10 } };
      },
      { config: { providers: { anthropic: { model: "claude-sonnet-4-5", context_window: 40_000 } } } },
    );
    for (const name of ["one", "two", "three", "four"]) await stage.prompt(`${name} ${filler}`);
    expect(stage.agent.text()).toContain("The conversation was compacted");
    const last = stage.server.requests.at(-1);
    expect(last?.messages[0]?.text).toContain("SUMMARY: they counted to two.");
    expect(last?.messages.at(-1)?.text).toMatch(/^four /);
    // The user's words stay, without what was pasted beside them.
    expect(last?.messages[0]?.text).toMatch(/^one x+\n\[… \d+ characters …\]/);
    expect(JSON.stringify(last?.messages)).not.toContain(`one ${filler}`);
    // Nothing is lost for the person.
    await stage.agent.agent.request("session/load", { sessionId: stage.sessionId, cwd: stage.project, mcpServers: [] });
    expect(stage.agent.ofKind("user_message_chunk")).toHaveLength(4);
  });

  it("is compacted when the provider says that it is too long", async () => {
    await using stage = await Stage.open(
      [
        { text: "First." },
        { text: "Second." },
        { status: 400, message: "prompt is too long: 210000 tokens > 200000 maximum" },
        { text: "Summary." },
        { text: "Third." },
      ],
      { config: { providers: { anthropic: { context_window: 1000 } } } },
    );
    const filler = "y".repeat(800);
    for (const name of ["one", "two", "three"])
      expect(await stage.prompt(`${name} ${filler}`)).toEqual({ stopReason: "end_turn" });
    expect(stage.agent.text()).toMatch(/compacted.*Third\./s);
  });

  it("can be compacted and cleared by command, shown as a compaction to clients that know them", async () => {
    await using stage = await Stage.open(
      (request) => (request.tools.length === 0 ? { text: "In short." } : { text: "Ok." }),
      {
        capabilities: { session: { compaction: {}, notices: {} } },
        config: { providers: { anthropic: { context_window: 2000 } } },
      },
    );
    expect(await stage.prompt("/compact")).toEqual({ stopReason: "end_turn" });
    expect(stage.agent.text()).toContain("nothing to compact");
    for (const name of ["one", "two", "three"]) await stage.prompt(`${name} ${"z".repeat(1500)}`);
    await stage.prompt("/compact");
    expect(stage.agent.ofKind("compaction_update").at(-1)).toMatchObject({
      status: "completed",
      summary: [{ text: "In short." }],
    });
    expect(stage.agent.ofKind("notice").at(-1)?.title).toContain("compacted");
    await stage.prompt("/clear");
    await stage.prompt("fresh");
    expect(stage.server.requests.at(-1)?.messages).toMatchObject([{ role: "user", text: "fresh" }]);
  });
});

describe("routing", () => {
  const config = { providers: { anthropic: { model_fast: "claude-haiku-4-5", model_complex: "claude-opus-4-5" } } };
  const flags = ["--provider", "anthropic"];

  it("sends what is simple to the fast model, after a question without tools", async () => {
    await using stage = await Stage.open(
      (request) => ({ text: isClassification(request) ? '{"route":"direct"}' : "4" }),
      { config, flags },
    );
    await stage.prompt("What is 2 + 2?");
    expect(stage.server.requests.map(({ model }) => model)).toEqual(["claude-haiku-4-5", "claude-haiku-4-5"]);
    expect(stage.server.requests[0]?.tools).toEqual([]);
    expect(stage.agent.ofKind("plan")).toEqual([]);
    expect(stage.agent.text()).toBe("4");
  });

  it("sends work to the complex model, with a plan that is shown", async () => {
    await using stage = await Stage.open(
      (request) => ({
        text: isClassification(request) ? 'Sure: {"route":"planned","steps":["Look","Change"]}' : "Done.",
      }),
      { config, flags },
    );
    await stage.prompt("Refactor this");
    expect(stage.server.requests.map(({ model }) => model)).toEqual(["claude-haiku-4-5", "claude-opus-4-5"]);
    expect(stage.agent.ofKind("plan")).toMatchObject([
      { entries: [{ content: "Look", status: "pending" }, { content: "Change" }] },
    ]);
    expect(stage.server.requests[1]?.messages[0]?.text).toContain("1. Look");
  });

  it.each([
    ["a failure", { status: 400, message: "no" }],
    ["nonsense", { text: "hard to say" }],
    ["another route", { text: '{"route":"maybe"}' }],
  ] as const)("sends anything to the complex model in doubt: %s", async (_what, reply) => {
    await using stage = await Stage.open((request) => (isClassification(request) ? reply : { text: "Done." }), {
      config,
      flags,
    });
    expect(await stage.prompt("Hm")).toEqual({ stopReason: "end_turn" });
    expect(stage.server.requests.at(-1)?.model).toBe("claude-opus-4-5");
  });

  it("asks no extra question where both are the same, or one was chosen", async () => {
    await using stage = await Stage.open(() => ({ text: "Ok." }), { config, flags });
    await stage.agent.agent.request("session/set_config_option", {
      sessionId: stage.sessionId,
      configId: "model",
      value: "claude-opus-4-5",
    });
    await stage.prompt("Hi");
    await using same = await Stage.open(() => ({ text: "Ok." }));
    await same.prompt("Hi");
    expect(stage.server.requests.map(({ model }) => model)).toEqual(["claude-opus-4-5"]);
    expect(same.server.requests).toHaveLength(1);
  });
});
