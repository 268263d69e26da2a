// Sends forms and web pages to the client, for the person to answer.
import { type AgentContext, type ClientCapabilities, methods } from "@agentclientprotocol/sdk";
import { cancelledBy } from "@signalbox/agent-kit";
import type { Elicitations } from "../permissions/elicitations.ts";

/** Null where the client shows neither forms nor pages. */
export function clientElicitations(context: AgentContext, { elicitation }: ClientCapabilities): Elicitations | null {
  const [form, url] = [elicitation?.form, elicitation?.url].map((shown) => (shown ?? null) !== null);
  if (form !== true && url !== true) return null;
  return {
    form: form === true,
    url: url === true,
    create: async (request, signal) =>
      await context.request(methods.client.elicitation.create, request, cancelledBy(signal)),
  };
}
