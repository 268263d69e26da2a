// The client's files and terminals as our tools use them: nothing is there that the client did not advertise.
import { type AgentContext, type ClientCapabilities, methods, type SendRequestOptions } from "@agentclientprotocol/sdk";
import type { Elicitations } from "../permissions/elicitations.ts";
import type { ClientSide } from "../tools/client-side.ts";

export function clientSide(context: AgentContext, { fs, terminal }: ClientCapabilities, sessionId: string): ClientSide {
  return {
    ...(fs?.readTextFile === true && {
      readTextFile: async (path, lines, signal) =>
        (await context.request(methods.client.fs.readTextFile, { sessionId, path, ...lines }, wanted(signal))).content,
    }),
    ...(fs?.writeTextFile === true && {
      writeTextFile: async (path, content, signal) => {
        await context.request(methods.client.fs.writeTextFile, { sessionId, path, content }, wanted(signal));
      },
    }),
    ...(terminal === true && {
      createTerminal: async (request) => {
        const handle = await context.createTerminal({ sessionId, ...request });
        return {
          id: handle.id,
          output: () => handle.currentOutput(),
          waitForExit: () => handle.waitForExit(),
          kill: () => handle.kill(),
          release: () => handle.release(),
        };
      },
    }),
  };
}

/** Null where the client shows neither forms nor pages. */
export function clientElicitations(context: AgentContext, { elicitation }: ClientCapabilities): Elicitations | null {
  const [form, url] = [elicitation?.form, elicitation?.url].map((shown) => (shown ?? null) !== null);
  if (form !== true && url !== true) return null;
  return {
    form: form === true,
    url: url === true,
    create: async (request, signal) =>
      await context.request(methods.client.elicitation.create, request, wanted(signal)),
  };
}

/** A request that nobody waits for any more is withdrawn. */
function wanted(signal: AbortSignal): SendRequestOptions {
  return { cancellationSignal: signal, stopWaitingOnCancel: true };
}
