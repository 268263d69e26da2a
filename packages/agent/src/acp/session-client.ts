// The client as sessions see it, made from the SDK's context: nothing is called that the client did not advertise.
import { type AgentContext, type ClientCapabilities, methods, type SendRequestOptions } from "@agentclientprotocol/sdk";
import { clientOf } from "@signalbox/tool-calls";
import type { SessionClient } from "../sessions/client.ts";
import type { ClientTerminals } from "../tools/commands/terminal-command.ts";
import type { ClientFiles } from "../tools/files/files.ts";

export function sessionClient(context: AgentContext, capabilities: ClientCapabilities): SessionClient {
  return {
    ...clientOf(context),
    capabilities,
    files: (sessionId) => clientFiles(context, capabilities, sessionId),
    terminals: (sessionId) => (capabilities.terminal === true ? clientTerminals(context, sessionId) : undefined),
  };
}

function clientFiles(context: AgentContext, { fs }: ClientCapabilities, sessionId: string): ClientFiles {
  return {
    ...(fs?.readTextFile === true && {
      readTextFile: async (path: string, signal: AbortSignal) =>
        (await context.request(methods.client.fs.readTextFile, { sessionId, path }, wanted(signal))).content,
    }),
    ...(fs?.writeTextFile === true && {
      writeTextFile: async (path: string, content: string, signal: AbortSignal) => {
        await context.request(methods.client.fs.writeTextFile, { sessionId, path, content }, wanted(signal));
      },
    }),
  };
}

/** A request that nobody waits for any more is withdrawn. */
function wanted(signal: AbortSignal): SendRequestOptions {
  return { cancellationSignal: signal, stopWaitingOnCancel: true };
}

function clientTerminals(context: AgentContext, sessionId: string): ClientTerminals {
  return {
    create: async ({ command, args, cwd, outputByteLimit }) => {
      const terminal = await context.createTerminal({ sessionId, command, args: [...args], cwd, outputByteLimit });
      return {
        id: terminal.id,
        output: () => terminal.currentOutput(),
        waitForExit: () => terminal.waitForExit(),
        kill: () => terminal.kill(),
        release: () => terminal.release(),
      };
    },
  };
}
