// Reads and writes files through the client. A method is there only if the client advertised it.
import {
  type AgentContext,
  type ClientCapabilities,
  methods,
  type ReadTextFileRequest,
  type ReadTextFileResponse,
  type SendRequestOptions,
} from "@agentclientprotocol/sdk";
import { fileBytesMeta, hasFileBytes, readFileBytes } from "@signalbox/tool-calls";

/** Each method rejects when the client answers with an error. */
export interface ClientFiles {
  readonly readTextFile?: (path: string, lines: LineRange, signal: AbortSignal) => Promise<string>;
  /** For images and PDFs. Not part of ACP: Signalbox has it. */
  readonly readBytes?: (path: string, signal: AbortSignal) => Promise<Uint8Array>;
  readonly writeTextFile?: (path: string, text: string, signal: AbortSignal) => Promise<void>;
}

export interface LineRange {
  /** Counted from 1. */
  readonly line?: number | undefined;
  readonly limit?: number | undefined;
}

export function clientFiles(context: AgentContext, capabilities: ClientCapabilities, sessionId: string): ClientFiles {
  const { fs } = capabilities;
  return {
    ...(fs?.readTextFile === true && {
      readTextFile: async (path: string, lines: LineRange, signal: AbortSignal) =>
        (
          await context.request(
            methods.client.fs.readTextFile,
            { sessionId, path, ...lines },
            createCancelOptions(signal),
          )
        ).content,
    }),
    ...(fs?.readTextFile === true &&
      hasFileBytes(capabilities) && {
        readBytes: async (path: string, signal: AbortSignal) => {
          const params: ReadTextFileRequest = { sessionId, path, _meta: { ...fileBytesMeta } };
          const answer: ReadTextFileResponse = await context.request(
            methods.client.fs.readTextFile,
            params,
            createCancelOptions(signal),
          );
          const bytes = readFileBytes(answer);
          if (bytes === undefined) throw new Error("the client gave no bytes");
          return bytes;
        },
      }),
    ...(fs?.writeTextFile === true && {
      writeTextFile: async (path: string, content: string, signal: AbortSignal) => {
        await context.request(
          methods.client.fs.writeTextFile,
          { sessionId, path, content },
          createCancelOptions(signal),
        );
      },
    }),
  };
}

/** Options with which the request is cancelled at the client when the signal aborts. */
export function createCancelOptions(signal: AbortSignal): SendRequestOptions {
  return { cancellationSignal: signal, stopWaitingOnCancel: true };
}
