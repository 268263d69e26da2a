// Keeps what can be seen of a running agent from outside: what it does at its start, what it prints, which requests are open. A call that hangs
// can be understood from it.
import { stripVTControlCharacters } from "node:util";
import type { AgentActivityRow, Json, JsonObject, McpServerRow } from "@signalbox/protocol";
import { isJsonObject, toFields } from "@signalbox/protocol";
import { UnansweredRequests } from "../data/unanswered-requests.ts";
import type { AgentLog } from "./agent-log.ts";

/** Enough for the last minutes of a talkative agent. */
const maxOutputCharacters = 16_000;
/** A line that is longer says nothing about tools. */
const maxLineLength = 100_000;

type Said = Pick<AgentActivityRow, "tools" | "mcp_servers">;

export class AgentActivity {
  readonly requests = new UnansweredRequests();
  readonly #startedAt = Date.now();
  readonly #log: AgentLog | undefined;
  #step: { readonly text: string; readonly since: number; readonly endsAt: () => number } | null = null;
  #output = "";
  #outputAt: number | null = null;
  #unfinishedLine = "";
  #said: Said = { tools: null, mcp_servers: null };
  #info: { readonly name: string | null; readonly version: string | null } = { name: null, version: null };

  constructor(log?: AgentLog) {
    this.#log = log;
  }

  /** When the agent last sent or printed anything; null when it never did. */
  get lastOutputAt(): number | null {
    return this.#outputAt;
  }

  /** The state of its MCP servers; null until the agent has reported it. */
  get mcpServers(): readonly McpServerRow[] | null {
    return this.#said.mcp_servers;
  }

  /** The end of what it printed beside its messages. */
  get output(): string {
    return this.#output;
  }

  /** The agent does this now; `endsAt` says when it is given up. */
  beginStep(text: string, endsAt: () => number): void {
    this.#step = { text, since: Date.now(), endsAt };
  }

  endSteps(): void {
    this.#step = null;
  }

  /** A message came. */
  noteMessage(): void {
    this.#outputAt = Date.now();
  }

  /** Text that is no message came. */
  addOutput(text: string): void {
    this.#outputAt = Date.now();
    const plain = stripVTControlCharacters(text);
    this.#output = (this.#output + plain).slice(-maxOutputCharacters);
    this.#log?.write(plain);
    this.#readLines(plain);
  }

  /** The agent is gone: writes what it left unfinished. */
  end(): void {
    this.#log?.end();
  }

  /** Called with the agent's answer to `initialize`. */
  identify(agentInfo: Json | undefined): void {
    const { name, version } = toFields(agentInfo);
    this.#info = {
      name: readText(name),
      version: readText(version),
    };
  }

  describeRow(threadId: string, label: string, pid: number | undefined): AgentActivityRow {
    const step = this.#step;
    return {
      thread_id: threadId,
      label,
      agent_name: this.#info.name,
      agent_version: this.#info.version,
      pid: pid ?? null,
      started_at: this.#startedAt,
      step: step === null ? null : { text: step.text, since: step.since, ends_at: step.endsAt() },
      last_output_at: this.#outputAt,
      output: this.#output,
      log_file: this.#log?.path ?? null,
      requests: this.requests.all,
      ...this.#said,
    };
  }

  #readLines(text: string): void {
    const lines = (this.#unfinishedLine + text).split("\n");
    this.#unfinishedLine = (lines.pop() ?? "").slice(0, maxLineLength);
    for (const line of lines) this.#said = { ...this.#said, ...readToolLine(line) };
  }
}

/** Agents that tell which tools they have print them as `allowedTools: […]` and `mcpServers: […]`. */
function readToolLine(line: string): Partial<Said> {
  const match = /^\s*(allowedTools|mcpServers): (\[.*\])\s*$/.exec(line);
  if (match === null || line.length > maxLineLength) return {};
  const [, key, text = ""] = match;
  try {
    const list: unknown = JSON.parse(text);
    if (!Array.isArray(list)) return {};
    if (key === "allowedTools") return { tools: list.filter((name) => typeof name === "string") };
    return { mcp_servers: list.filter(isJsonObject).flatMap(readServer) };
  } catch {
    return {};
  }
}

function readServer({
  name,
  status,
  tools,
  tool_names: names,
  left_out: leftOut,
  problem,
  starting_since: since,
  restart,
  log_in: logIn,
}: JsonObject): readonly McpServerRow[] {
  if (typeof name !== "string") return [];
  return [
    {
      name,
      status: readText(status),
      tools: typeof tools === "number" ? tools : null,
      tool_names: readTexts(names),
      left_out: readTexts(leftOut),
      problem: readText(problem),
      starting_since: typeof since === "number" ? since : null,
      restart: readText(restart),
      log_in: readText(logIn),
    },
  ];
}

function readText(value: Json | undefined): string | null {
  return typeof value === "string" ? value : null;
}

function readTexts(list: Json | undefined): readonly string[] {
  return Array.isArray(list) ? list.filter((each) => typeof each === "string") : [];
}
