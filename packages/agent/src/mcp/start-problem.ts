// Explains why an MCP server does not run, and which errors have a way on.
import { ProtocolError, ProtocolErrorCode, SdkHttpError, UnauthorizedError } from "@modelcontextprotocol/client";
import type { HttpServerConfig, McpServerConfig, Program } from "@signalbox/agent-kit";
import { messageOf } from "@signalbox/tool-calls";
import { canLogIn } from "./http-transport.ts";

const unsupportedVersion: number = ProtocolErrorCode.UnsupportedProtocolVersion;
const noSuchMethod: number = ProtocolErrorCode.MethodNotFound;

/** True when the server knows only newer revisions than ours. Over HTTP the SDK gives that as the text of an error. */
export function isTooNew(error: unknown): boolean {
  if (error instanceof ProtocolError) return error.code === unsupportedVersion || error.code === noSuchMethod;
  return error instanceof SdkHttpError && error.message.includes(String(unsupportedVersion));
}

function isUnauthorized(error: unknown): boolean {
  return error instanceof UnauthorizedError || (error instanceof SdkHttpError && error.status === 401);
}

/** True when the server asks for a log-in that the person can make. */
export function requiresLogin(error: unknown, config: McpServerConfig): boolean {
  return isUnauthorized(error) && config.type !== "stdio" && canLogIn(config);
}

/** MCP: 404. Some servers answer 400. */
export function isUnknownSession(error: unknown): boolean {
  if (!(error instanceof SdkHttpError)) return false;
  return error.status === 404 || (error.status === 400 && /session/i.test(error.message));
}

function logInProblem(config: HttpServerConfig, message: string): string {
  if (canLogIn(config)) return `it wants you to log in: /mcp login ${config.name}`;
  return config.origin === "project"
    ? "it wants you to log in, and a project's server gets no log-in of yours. Name it in your own config."
    : `it refused the Authorization header of the config (${message}).`;
}

/** How the end of a program is told that could not be run. */
const neverStarted = /^not started: (?:the (?:program|command) could not be started: )?([^]*)$/;

/** Of a program that ended, its stderr says more than "connection closed". */
export async function startProblem(
  error: unknown,
  problem: string,
  program: Program | undefined,
  config: McpServerConfig,
): Promise<string> {
  const message = messageOf(error);
  if (isUnauthorized(error) && config.type !== "stdio") return logInProblem(config, message);
  const isLate = /timed out/i.test(message);
  const late = `it did not answer in time. Try again: /mcp restart ${config.name}`;
  if (program === undefined) return isLate ? late : message;
  const ending = await program.ended;
  const [, whyNotStarted] = neverStarted.exec(ending) ?? [];
  if (whyNotStarted !== undefined) return `${whyNotStarted}. Check its command.`;
  const errors = program.errors();
  const written = errors === "" ? "" : `it wrote:\n${errors}`;
  // It was ended by us.
  if (isLate) return [late, written].filter(Boolean).join("; ");
  const reason = problem || (message === "Connection closed" ? "" : message);
  return [reason, ending, written].filter(Boolean).join("; ");
}
