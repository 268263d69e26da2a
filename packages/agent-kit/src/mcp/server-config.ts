// Reads MCP servers from the client, the config files, .mcp.json and skills into one shape.
import { join } from "node:path";
import type { McpServer } from "@agentclientprotocol/sdk";
import { isFields } from "@signalbox/rules";
import { commandEnvironment, readPlainText } from "@signalbox/sandbox";
import { everyTool, readToolFilter, type ToolFilter } from "./tool-filter.ts";

const maxFileBytes = 1_000_000;

interface NamedServer {
  /** Part of the names of its tools: `mcp__<name>__<tool>`. */
  readonly name: string;
  readonly origin: ServerOrigin;
  /** Which of its tools are used. */
  readonly filter: ToolFilter;
}

/**
 * Where a server is configured. Servers of the client and of the user's own config have the network and may use the user's keys. Servers of
 * the project (`.mcp.json`, `.signalbox/config.json`, its skills) come with somebody else's code and have neither.
 */
export type ServerOrigin = "client" | "user" | "project";

export interface StdioServerConfig extends NamedServer {
  readonly type: "stdio";
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

export interface HttpServerConfig extends NamedServer {
  /** `sse` is the transport before streamable HTTP. */
  readonly type: "http" | "sse";
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly oauth?: OAuthSettings;
}

/** For a log-in with a client that was registered by hand. */
export interface OAuthSettings {
  readonly clientId?: string;
  readonly clientSecret?: string;
  /** The port of the address that the browser comes back to. */
  readonly callbackPort?: number;
  readonly scopes?: readonly string[];
}

export type McpServerConfig = StdioServerConfig | HttpServerConfig;

/** The servers, and for each that cannot be used a sentence that names the place. */
export interface McpServerConfigs {
  readonly servers: readonly McpServerConfig[];
  readonly problems: readonly string[];
}

/** The servers of `session/new`. */
export function mcpServersFromClient(servers: readonly McpServer[]): McpServerConfigs {
  return collected(
    servers.map((server) => {
      const named = { name: server.name, origin: "client", filter: everyTool } as const;
      if (!("type" in server)) {
        return {
          ...named,
          type: "stdio",
          command: server.command,
          args: server.args,
          env: pairs(server.env),
        };
      }
      return httpServer({ ...named, type: server.type, headers: pairs(server.headers) }, server.url, "session/new");
    }),
  );
}

export interface ConfigPlace {
  readonly origin: "user" | "project";
  /** For messages. */
  readonly place: string;
  /** The values of `${NAME}` and `${NAME:-otherwise}`. The environment of a project must hold no keys. */
  readonly environment: Environment;
}

/** The usual shape: name → `{ command, args?, env? }` or `{ type: "http" | "sse", url, headers?, oauth? }`, each with `includeTools?`, `excludeTools?`. */
export function mcpServersFromConfig(value: unknown, { origin, place, environment }: ConfigPlace): McpServerConfigs {
  if (value === undefined || value === null) return { servers: [], problems: [] };
  if (!isFields(value))
    return { servers: [], problems: [`${place}: mcpServers must be an object of servers by name.`] };
  return collected(
    Object.entries(value)
      .filter(([, server]) => !isOff(server))
      .map(([name, server]) => configuredServer({ name, origin }, server, `${place}: mcpServers.${name}`, environment)),
  );
}

/** Other tools write it so too. */
function isOff(server: unknown): boolean {
  return isFields(server) && server.disabled === true;
}

/** The servers of `.mcp.json` in the session's folder. `${NAME}` in it names no variable that holds a key. */
export function readMcpJson(cwd: string, env: NodeJS.ProcessEnv, secretNames: readonly string[]): McpServerConfigs {
  const environment = commandEnvironment({ inherited: env, secretNames });
  const path = join(cwd, ".mcp.json");
  let text: string;
  try {
    text = readPlainText(path, maxFileBytes);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return { servers: [], problems: code === "ENOENT" ? [] : [`${path} cannot be read: ${message}`] };
  }
  try {
    const json: unknown = JSON.parse(text);
    return mcpServersFromConfig(isFields(json) ? json.mcpServers : undefined, {
      origin: "project",
      place: path,
      environment,
    });
  } catch (error) {
    return { servers: [], problems: [`${path} is not valid JSON: ${(error as Error).message}`] };
  }
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** A server, or a sentence that says what is wrong with it. */
type ParsedServer = McpServerConfig | string;

function configuredServer(
  who: Pick<NamedServer, "name" | "origin">,
  server: unknown,
  place: string,
  environment: Environment,
): ParsedServer {
  if (!isFields(server)) return `${place} must be an object.`;
  const filter = readToolFilter(server, place);
  if (typeof filter === "string") return filter;
  const named = { ...who, filter };
  const { type, command, args = [], env = {}, url, headers = {} } = server;
  if (typeof url === "string") {
    if (type !== undefined && type !== "http" && type !== "streamable-http" && type !== "sse") {
      return `${place}: the type ${JSON.stringify(type)} is not supported; use "http" (streamable HTTP) or "sse".`;
    }
    if (!isTexts(headers)) return `${place}.headers must be an object of texts.`;
    const oauth = readOAuth(server.oauth, place, environment);
    if (typeof oauth === "string") return oauth;
    const shape = { type: type === "sse" ? "sse" : "http", headers: mapTexts(headers, environment) } as const;
    return httpServer({ ...named, ...shape, ...oauth }, expand(url, environment), place);
  }
  if (typeof command !== "string" || command === "") return `${place} needs a command, or a url.`;
  if (type !== undefined && type !== "stdio") return `${place}: a server with a command has the type "stdio".`;
  if (!Array.isArray(args) || !args.every((arg) => typeof arg === "string"))
    return `${place}.args must be a list of texts.`;
  if (!isTexts(env)) return `${place}.env must be an object of texts.`;
  return {
    ...named,
    type: "stdio",
    command: expand(command, environment),
    args: args.map((arg) => expand(arg, environment)),
    env: mapTexts(env, environment),
  };
}

function httpServer(server: Omit<HttpServerConfig, "url">, url: string, place: string): ParsedServer {
  const protocol = URL.parse(url)?.protocol;
  if (protocol !== "http:" && protocol !== "https:") return `${place}: ${url} is not an http or https URL.`;
  return { ...server, url };
}

function readOAuth(value: unknown, place: string, environment: Environment): { oauth?: OAuthSettings } | string {
  if (value === undefined) return {};
  if (!isFields(value)) return `${place}.oauth must be an object.`;
  const { clientId, clientSecret, callbackPort, scopes } = value;
  for (const [name, text] of Object.entries({ clientId, clientSecret }))
    if (text !== undefined && typeof text !== "string") return `${place}.oauth.${name} must be a text.`;
  if (callbackPort !== undefined && !isPort(callbackPort))
    return `${place}.oauth.callbackPort must be a port, from 1 to 65535.`;
  if (scopes !== undefined && !(Array.isArray(scopes) && scopes.every((scope) => typeof scope === "string")))
    return `${place}.oauth.scopes must be a list of texts.`;
  return {
    oauth: {
      ...(typeof clientId === "string" && { clientId: expand(clientId, environment) }),
      ...(typeof clientSecret === "string" && { clientSecret: expand(clientSecret, environment) }),
      ...(callbackPort !== undefined && { callbackPort: Number(callbackPort) }),
      ...(scopes !== undefined && { scopes }),
    },
  };
}

function expand(text: string, environment: Environment): string {
  return text.replace(
    /\$\{(\w+)(?::-([^}]*))?\}/g,
    (_whole, name: string, otherwise: string | undefined) => environment[name] ?? otherwise ?? "",
  );
}

function mapTexts(texts: Readonly<Record<string, string>>, environment: Environment): Record<string, string> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, expand(text, environment)]));
}

function collected(read: readonly ParsedServer[]): McpServerConfigs {
  return {
    servers: read.filter((each) => typeof each !== "string"),
    problems: read.filter((each) => typeof each === "string"),
  };
}

function pairs(list: readonly { readonly name: string; readonly value: string }[]): Record<string, string> {
  return Object.fromEntries(list.map(({ name, value }) => [name, value]));
}

function isPort(value: unknown): boolean {
  return Number.isInteger(value) && Number(value) > 0 && Number(value) < 65_536;
}

function isTexts(value: unknown): value is Record<string, string> {
  return isFields(value) && Object.values(value).every((text) => typeof text === "string");
}
