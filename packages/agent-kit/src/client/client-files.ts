// Reads and writes files through the client. A method is there only if the client advertised it.
import { type AgentContext, type ClientCapabilities, methods, type SendRequestOptions } from "@agentclientprotocol/sdk";

/** Each method rejects when the client answers with an error. */
export interface ClientFiles {
  readonly readTextFile?: (path: string, lines: LineRange, signal: AbortSignal) => Promise<string>;
  readonly writeTextFile?: (path: string, text: string, signal: AbortSignal) => Promise<void>;
}

export interface LineRange {
  /** Counted from 1. */
  readonly line?: number | undefined;
  readonly limit?: number | undefined;
}

export function clientFiles(context: AgentContext, { fs }: ClientCapabilities, sessionId: string): ClientFiles {
  return {
    ...(fs?.readTextFile === true && {
      readTextFile: async (path: string, lines: LineRange, signal: AbortSignal) =>
        (await context.request(methods.client.fs.readTextFile, { sessionId, path, ...lines }, cancelledBy(signal)))
          .content,
    }),
    ...(fs?.writeTextFile === true && {
      writeTextFile: async (path: string, content: string, signal: AbortSignal) => {
        await context.request(methods.client.fs.writeTextFile, { sessionId, path, content }, cancelledBy(signal));
      },
    }),
  };
}

/** Options with which the request is cancelled at the client when the signal aborts. */
export function cancelledBy(signal: AbortSignal): SendRequestOptions {
  return { cancellationSignal: signal, stopWaitingOnCancel: true };
}
