// Sends requests for threads of other machines there, signed, and runs the requests that others send for threads of this one: once each, under
// this machine's own rules and sandbox, and recorded with who sent them.

import { type ClientMessage, clientMessage, HostError, type RequestId, type ServerMessage } from "@signalbox/protocol";
import type { Register } from "@signalbox/tinyvex";
import type { Commands } from "./database/index.ts";

/** What a person can do with a thread from another machine. Nothing that changes rules, settings or other data there. */
const remoteControls: ReadonlySet<string> = new Set([
  "session.create",
  "session.resume",
  "session.close",
  "session.wait",
  "session.set_mode",
  "session.set_config_option",
  "run.submit",
  "run.edit",
  "run.remove",
  "run.cancel",
  "run.continue",
  "permission.respond",
  "elicitation.respond",
]);

/** A connected client's request, run on this machine. */
export type RunRequest = (message: ClientMessage) => Promise<ServerMessage>;

/** Sends a request to another machine and gives its answer. Throws a HostError when there is none. */
export async function sendRequest(
  commands: Commands | null,
  machine: string,
  { id, ...message }: ClientMessage,
): Promise<ServerMessage> {
  const there = `This is on the machine ${machine}`;
  if (!remoteControls.has(message.control))
    throw new HostError("unauthorized", `${there}, and this can be done only there.`);
  if (commands === null) throw new HostError("unavailable", `${there}, and the shared database cannot be reached now.`);
  const threadId = "thread_id" in message ? (message.thread_id ?? null) : null;
  const result = await commands
    .send(machine, { threadId, kind: message.control, body: JSON.stringify(message) })
    .catch(() => ({ type: "unavailable", reason: "the shared database cannot be reached now" }) as const);
  if (result.type !== "answered") throw new HostError(result.type, `${there}: ${result.reason}.`);
  return toAnswer(result.answer, id);
}

/** Runs what other machines send. */
export function runRequests(commands: Commands, register: Register, run: RunRequest): void {
  commands.takeFrom(async ({ id, sender, threadId, kind, body }) => {
    const parsed = clientMessage.safeParse(JSON.parse(body));
    const message = parsed.success ? parsed.data : null;
    const problem = message === null || message.control !== kind ? "This is no request." : refusalOf(message, threadId);
    if (message === null || problem !== null) return JSON.stringify(refusal(problem ?? ""));
    if (threadId !== null) {
      if ((await register.getThread(threadId)) === null)
        return JSON.stringify(refusal("There is no such thread here.", "not_found"));
      const fact = { type: "command_received", machine: sender, control: kind, command_id: id } as const;
      register.append(threadId, { type: "fact", fact });
    }
    return JSON.stringify(await run(message));
  });
}

function refusalOf(message: ClientMessage, threadId: string | null): string | null {
  if (!remoteControls.has(message.control)) return `${message.control} works only on the machine itself.`;
  if (threadId !== ("thread_id" in message ? (message.thread_id ?? null) : null))
    return "This request names two threads.";
  const isRule =
    message.control === "permission.respond" && (message.rule !== undefined || (message.remember ?? "once") !== "once");
  return isRule ? "An answer from another machine holds once: rules are made on the machine itself." : null;
}

function refusal(message: string, code: "unauthorized" | "not_found" = "unauthorized"): ServerMessage {
  return { type: "tinyvex.error", code, message };
}

function toAnswer(answer: string, request_id: RequestId | undefined): ServerMessage {
  // Signed by a host of ours, which made it from a message of this type.
  const message = JSON.parse(answer) as ServerMessage;
  return { ...message, request_id } as ServerMessage;
}
