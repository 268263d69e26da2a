// Runs commands in terminals of the client.
import type { AgentContext, ClientCapabilities } from "@agentclientprotocol/sdk";
import { type Escalation, escalationMeta } from "@signalbox/tool-calls";

/** Each method rejects when the client answers with an error. */
export interface ClientTerminals {
  create(request: TerminalRequest): Promise<ClientTerminal>;
}

export interface TerminalRequest {
  /** A whole line for a shell. Clients that run agents such as Claude Code know it in this form, and compare it with what was permitted. */
  readonly command: string;
  readonly cwd: string;
  readonly outputByteLimit: number;
  /** Only for a client that promises to understand it. */
  readonly escalation?: Escalation;
}

export interface ClientTerminal {
  readonly id: string;
  output(): Promise<TerminalOutput>;
  waitForExit(): Promise<TerminalExit>;
  kill(): Promise<unknown>;
  release(): Promise<unknown>;
}

/** The output that the terminal keeps. */
export interface TerminalOutput {
  readonly output: string;
  /** The beginning was dropped. */
  readonly truncated: boolean;
}

export interface TerminalExit {
  readonly exitCode?: number | null;
  readonly signal?: string | null;
  readonly _meta?: object | null;
}

/** Undefined when the client has no terminals. */
export function clientTerminals(
  context: AgentContext,
  { terminal }: ClientCapabilities,
  sessionId: string,
): ClientTerminals | undefined {
  if (terminal !== true) return undefined;
  return {
    create: async ({ escalation, ...request }) => {
      const meta = escalation === undefined ? {} : { _meta: escalationMeta(escalation) };
      const handle = await context.createTerminal({ sessionId, ...request, ...meta });
      return {
        id: handle.id,
        output: () => handle.currentOutput(),
        waitForExit: () => handle.waitForExit(),
        kill: () => handle.kill(),
        release: () => handle.release(),
      };
    },
  };
}
