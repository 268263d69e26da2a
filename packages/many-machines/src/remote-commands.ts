// Sends requests for threads of other machines there, signed, and runs the requests that others send for threads of this one: once each, under
// this machine's own rules and sandbox, and recorded with who sent them.
import {
  type AnswerMessage,
  type CheckedRequest,
  checkRequest,
  findRequest,
  HostError,
  type RequestId,
} from "@signalbox/protocol";
import type { Register } from "@signalbox/tinyvex";
import type { Commands } from "./database/index.ts";

/** Runs a request of another machine here, as it travels. */
export type RunRequest = (message: object) => Promise<AnswerMessage>;

/** Sends a request to another machine and gives its answer. Throws a HostError when there is none. */
export async function sendRequest(
  commands: Commands | null,
  machine: string,
  { id, name, params }: CheckedRequest,
): Promise<AnswerMessage> {
  const there = `This is on the machine ${machine}`;
  if (findRequest(name).remote !== true)
    throw new HostError("unauthorized", `${there}, and this can be done only there.`);
  if (commands === null) throw new HostError("unavailable", `${there}, and the shared database cannot be reached now.`);
  const threadId = readThreadId(params);
  const result = await commands
    .send(machine, { threadId, kind: name, body: JSON.stringify({ control: name, ...params }) })
    .catch(() => ({ type: "unavailable", reason: "the shared database cannot be reached now" }) as const);
  if (result.type !== "answered") throw new HostError(result.type, `${there}: ${result.reason}.`);
  return readAnswer(result.answer, id);
}

/** Runs the requests that other machines send. */
export function runRequests(commands: Commands, register: Register, run: RunRequest): void {
  commands.startReceiving(async ({ id, sender, threadId, kind, body }) => {
    const message = JSON.parse(body) as object;
    const request = checkRequest(message);
    const problem =
      request.type !== "request" || request.name !== kind ? "This is no request." : findProblem(request, threadId);
    if (problem !== null) return JSON.stringify(makeRefusal(problem));
    if (threadId !== null) {
      if ((await register.getThread(threadId)) === null)
        return JSON.stringify(makeRefusal("There is no such thread here.", "not_found"));
      const fact = { type: "command_received", machine: sender, control: kind, command_id: id } as const;
      register.append(threadId, { type: "fact", fact });
    }
    return JSON.stringify(await run(message));
  });
}

function findProblem({ name, params }: CheckedRequest, threadId: string | null): string | null {
  if (findRequest(name).remote !== true) return `${name} works only on the machine itself.`;
  if (threadId !== readThreadId(params)) return "This request names two threads.";
  const isRule = name === "permission.respond" && (params.rule !== undefined || (params.remember ?? "once") !== "once");
  return isRule ? "An answer from another machine holds once: rules are made on the machine itself." : null;
}

function readThreadId(params: object): string | null {
  return "thread_id" in params && typeof params.thread_id === "string" ? params.thread_id : null;
}

function makeRefusal(message: string, code: "unauthorized" | "not_found" = "unauthorized"): AnswerMessage {
  return { type: "tinyvex.error", code, message };
}

function readAnswer(answer: string, request_id: RequestId | undefined): AnswerMessage {
  // Signed by a host of ours, which made it from a message of this type.
  return { ...(JSON.parse(answer) as AnswerMessage), request_id };
}
