// Decides which tools of MCP servers the requests to the model list. Many are found by a search instead. What the first request listed stays:
// a list that changes makes the provider read the whole conversation again, at the full price.
import type { Tool } from "../tools/tool.ts";
import type { McpSession, McpTool } from "./mcp-session.ts";
import { callTool, findTools } from "./tool-search.ts";

interface ServerInstructions {
  readonly name: string;
  readonly instructions: string;
}

/** More than these are found by a search. */
const maxListed = 40;
/** Characters of descriptions and schemas; about 10,000 tokens. */
const maxListedLength = 40_000;
/** Characters of the names in the description of the search. */
const maxNamesLength = 6000;

/** The tools of the first request. */
interface FixedTools {
  listed: readonly Tool[];
  /** `find_tools` and `call_tool`, or nothing. */
  readonly search: readonly Tool[];
  readonly instructions: readonly ServerInstructions[];
}

export class ToolOffer {
  readonly #mcp: Pick<McpSession, "tools" | "servers" | "ready">;
  #fixed: FixedTools | undefined;
  /** Servers whose instructions a search gave. */
  readonly #instructed = new Set<string>();

  constructor(mcp: Pick<McpSession, "tools" | "servers" | "ready">) {
    this.#mcp = mcp;
  }

  /** Before a request. From the first one on, the list stays. */
  fix(): void {
    if (this.#fixed !== undefined) return;
    const { tools } = this.#mcp;
    const { starting } = this;
    const isMany = tools.length > maxListed || measureTools(tools) > maxListedLength;
    this.#fixed = {
      listed: isMany ? [] : tools,
      search: isMany || starting.length > 0 ? this.#search(isMany ? tools : []) : [],
      instructions: this.#instructionsNow(),
    };
  }

  /** The conversation begins anew for the provider, so the list may change. */
  release(): void {
    this.#fixed = undefined;
    this.#instructed.clear();
  }

  /** Names of servers that still start. */
  get starting(): readonly string[] {
    return this.#mcp.servers.filter(({ state }) => state === "starting").map(({ name }) => name);
  }

  /** For the system prompt. */
  get instructions(): readonly ServerInstructions[] {
    return this.#fixed?.instructions ?? this.#instructionsNow();
  }

  /** All that can be called. Those that requests do not list are marked. A tool that is gone stays, and says why when it is called. */
  get tools(): readonly Tool[] {
    const { tools } = this.#mcp;
    const fixed = this.#fixed;
    if (fixed === undefined) return tools;
    const others = this.#others(fixed);
    // Without a search there is no other way to them.
    if (fixed.search.length === 0) fixed.listed = others.length === 0 ? fixed.listed : [...fixed.listed, ...others];
    if (fixed.search.length === 0) return fixed.listed;
    return [...fixed.listed, ...fixed.search, ...others.map((each) => ({ ...each, isUnlisted: true }))];
  }

  #others({ listed }: FixedTools): readonly McpTool[] {
    const names = new Set(listed.map(({ name }) => name));
    return this.#mcp.tools.filter(({ name }) => !names.has(name));
  }

  #search(known: readonly McpTool[]): readonly Tool[] {
    const source = {
      ready: this.#mcp.ready,
      starting: () => this.starting,
      tools: () => (this.#fixed === undefined ? [] : this.#others(this.#fixed)),
      instructionsOf: (servers: readonly string[]) => this.#newInstructions(servers),
    };
    return [findTools(searchDescription(known, this.starting), source), callTool];
  }

  #newInstructions(servers: readonly string[]): readonly ServerInstructions[] {
    const given = new Set([...this.#instructed, ...this.instructions.map(({ name }) => name)]);
    const found = this.#instructionsNow().filter(({ name }) => servers.includes(name) && !given.has(name));
    for (const { name } of found) this.#instructed.add(name);
    return found;
  }

  #instructionsNow(): readonly ServerInstructions[] {
    return this.#mcp.servers.flatMap(({ name, instructions }) =>
      instructions === undefined ? [] : [{ name, instructions }],
    );
  }
}

function searchDescription(known: readonly McpTool[], starting: readonly string[]): string {
  const servers = Map.groupBy(known, ({ server }) => server);
  const names = [...servers].map(
    ([server, tools]) => `${server}: ${tools.map(({ nameOnServer }) => nameOnServer).join(", ")}`,
  );
  const list = names.join("\n");
  return [
    "Finds tools of MCP servers that are not listed here, with their input. Then call them with call_tool.",
    ...(list === "" ? [] : [list.length > maxNamesLength ? `${list.slice(0, maxNamesLength)}…` : list]),
    ...(starting.length === 0 ? [] : [`These servers still start; the search waits for them: ${starting.join(", ")}`]),
  ].join("\n");
}

function measureTools(tools: readonly Tool[]): number {
  return tools.reduce(
    (sum, { description, inputSchema }) => sum + description.length + JSON.stringify(inputSchema ?? {}).length,
    0,
  );
}
