// Asks the person with forms or web pages, where the client can show them. Those of MCP servers are passed on unchanged.
import type { ElicitationSchema } from "@agentclientprotocol/sdk";
import { askElicitation, type ElicitationAnswer, type Elicitations, passElicitation } from "@signalbox/agent-kit";
import type { OnElicitation } from "../sdk/sdk.ts";

export async function askForm(
  elicitations: Elicitations,
  question: { sessionId: string; toolCallId: string; message: string; requestedSchema: ElicitationSchema },
  signal: AbortSignal,
): Promise<ElicitationAnswer> {
  return await askElicitation(elicitations, { mode: "form", ...question }, signal);
}

/** For the SDK: what the client cannot show is declined, and no answer is a no. */
export function elicitationCallback(sessionId: string, elicitations: Elicitations): OnElicitation {
  return async (question, { signal }) => await passElicitation(elicitations, { sessionId }, question, signal);
}
