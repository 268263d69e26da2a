// Our agent with MCP servers, as a client sees it: commands, a slow server, a search for tools, questions, and what the model is sent.
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { AgentStage } from "../support/agent-stage.ts";

const program = join(import.meta.dirname, "../../packages/agent/src/mcp/testing/full-server.mjs");
const call = (name: string, input: object) => ({ toolCalls: [{ name, input }] });

/** What the agent printed of a server, each state once. */
function printedStates(stderr: string, name: string): readonly object[] {
  const rows = [...stderr.matchAll(/^mcpServers: (.*)$/gm)].map(([, text = ""]) => {
    const list: readonly Record<string, unknown>[] = JSON.parse(text);
    const { status, tools, starting_since, restart, log_in } = list.find((each) => each.name === name) ?? {};
    return JSON.stringify({ status, tools, starting_since, restart, log_in });
  });
  return rows.filter((row, index) => row !== rows[index - 1]).map((row) => JSON.parse(row) as object);
}

describe("MCP servers in a session", () => {
  it("are waited for visibly, searched when they have many tools, and give commands", { timeout: 60_000 }, async () => {
    const script = [
      call("find_tools", { query: "number 7" }),
      call("call_tool", { name: "mcp__many__tool_7", arguments: { subject: "x" } }),
      call("call_tool", { name: "mcp__many__ask", arguments: {} }),
      call("call_tool", { name: "mcp__many__nothing" }),
      call("call_tool", { name: "mcp__many__tool_8", arguments: { lines: 200_000 } }),
      { text: "Done." },
      { text: "Hello, Ada." },
    ];
    await using stage = await AgentStage.open(script, {
      config: {
        mcpServers: {
          many: { command: process.execPath, args: [program, "-", "60"] },
          late: { command: process.execPath, args: [program, "./go"], excludeTools: ["steps"] },
        },
      },
      capabilities: { elicitation: { form: {} } },
      elicit: () => ({ action: "accept", content: { colour: "red" } }),
    });
    const { agent, server } = stage;
    const commands = () => agent.ofKind("available_commands_update").at(-1)?.availableCommands ?? [];
    await agent.until(() => commands().some(({ name }) => name === "many:greet"));
    const turn = stage.prompt("Work on @many:note://one.");
    const isWaiting = () => agent.ofKind("tool_call").some(({ title }) => title === "Waiting for MCP servers: late");
    await agent.until(isWaiting);
    stage.put("go", "");
    expect(await turn).toEqual({ stopReason: "end_turn" });
    const progress = agent.ofKind("tool_call_update").map(({ _meta }) => _meta?.["signalbox/progress"]);
    expect(progress).toContainEqual(expect.objectContaining({ message: expect.stringMatching(/^late, \d+ s$/) }));

    // The model: every request lists the same tools, and a call is asked about under the name of the tool that runs.
    expect(server.requests[0]?.messages.at(-1)?.text).toContain("The note says hello.");
    const lists = new Set(server.requests.map(({ body }) => JSON.stringify(body.tools)));
    expect(lists.size).toBe(1);
    expect(server.requests[0]?.tools).toEqual(expect.arrayContaining(["bash", "find_tools", "call_tool"]));
    expect([...lists][0]).not.toContain("mcp__");
    expect(stage.results()).toEqual([
      expect.stringMatching(/^mcp__many__tool_7: Does work number 7\./),
      "tool_7 is done",
      "red",
      expect.stringMatching(/^There is no tool mcp__many__nothing\. There are: (?!.*mcp__)/),
      expect.stringMatching(/^line 1\n[^]*\n\[.* All of it is in \S+: .*\]\n[^]*\nline 200000$/),
    ]);
    // A flood of 2 MB: without a limit it would be the end of the conversation before it.
    expect(stage.results().at(-1)?.length).toBeLessThan(100_300);
    expect(server.requests.at(-1)?.messages[0]?.text).toContain("Work on @many:note://one.");
    expect(agent.questions.map(({ toolCall }) => toolCall.title)).toEqual(["many/tool_7", "many/ask", "many/tool_8"]);
    expect(agent.elicited).toMatchObject([
      { mode: "form", message: "The MCP server many asks: Which colour?", toolCallId: expect.any(String) },
    ]);

    // The person: prompts as commands, and what became of each server.
    expect(commands()).toContainEqual({ name: "many:greet", description: "Greets someone", input: { hint: "<who>" } });
    await stage.prompt("/many:greet Ada");
    expect(server.requests.at(-1)?.messages.at(-1)?.text).toBe("Greet Ada.");
    await stage.prompt("/many:greet");
    expect(agent.text()).toContain("It needs who. Write: <who>");
    await stage.prompt("/mcp");
    expect(agent.text()).toContain("**many** runs: 62 tools, 1 prompt, resources.");
    expect(agent.text()).toContain(
      "**late** runs: 1 tool, 1 left out by the config (steps), 1 prompt, resources. ask.",
    );
    await stage.prompt("/mcp restart late");
    await stage.prompt("/mcp restart nothing");
    expect(agent.text().match(/\*\*late\*\* runs/g)).toHaveLength(2);
    // Each change of a state is printed once, with the prompts that do something about it.
    const prompts = { restart: "/mcp restart late", log_in: null };
    const starting = { status: "starting", tools: 0, starting_since: expect.any(Number), ...prompts };
    const running = { status: "running", tools: 1, ...prompts };
    await expect.poll(() => printedStates(agent.stderr, "late")).toEqual([starting, running, starting, running]);
    expect(agent.text()).toContain("There is no MCP server nothing. There are: many, late.");
    expect(server.requests).toHaveLength(script.length);
  });
});
