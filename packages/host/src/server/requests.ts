// What each request of a screen means. One function per control; errors are turned into messages in one place.
import type {
  ClientMessage,
  ContentBlock,
  ErrorCode,
  RequestId,
  ServerMessage,
  ThreadSummaryRow,
} from "@signalbox/protocol";
import { type Register, RegisterError } from "@signalbox/tinyvex";
import type { AgentRegistry } from "../agents/registry.ts";
import { HostError, messageOf } from "../data/host-error.ts";
import type { Sessions } from "../sessions/sessions.ts";
import type { FanOut } from "./fan-out.ts";
import type { SubscriptionSource } from "./subscription.ts";

export interface Rooms {
  readonly register: Register;
  readonly sessions: Sessions;
  readonly agents: AgentRegistry;
  readonly fanOut: FanOut;
}

/** Requests that one message answers. Subscriptions are the connection's own business. */
export type AnswerableMessage = Exclude<ClientMessage, { control: "tvx.subscribe" | "tvx.unsubscribe" }>;

export async function answerTo(message: AnswerableMessage, rooms: Rooms): Promise<ServerMessage> {
  const { register, sessions } = rooms;
  const request_id = message.id;
  switch (message.control) {
    case "tvx.ping":
      return { type: "tinyvex.pong", request_id };
    case "tvx.query": {
      const { name, args = {} } = message;
      const page = name === "agents.list" ? { rows: listAgents(rooms) } : await register.query(name, args);
      return { type: "tinyvex.query_result", request_id, name, ...page };
    }
    case "tvx.update_thread": {
      const thread = await register.updateThread(message.thread_id, message.updates);
      return { type: "tinyvex.ok", request_id, thread_id: thread.id, thread };
    }
    case "session.create": {
      const thread = await sessions.create(message);
      return { type: "tinyvex.ok", request_id, thread_id: thread.id, thread };
    }
    case "session.close":
      await sessions.close(message.thread_id);
      return { type: "tinyvex.ok", request_id, thread_id: message.thread_id };
    case "session.delete":
      await sessions.delete(message.thread_id);
      return { type: "tinyvex.ok", request_id, thread_id: message.thread_id };
    case "run.submit": {
      const { thread_id, prompt_id, prompt } = message;
      const submitted = await sessions.submit(thread_id, prompt_id, prompt as readonly ContentBlock[]);
      return { type: "run.submitted", request_id, thread_id, prompt_id, ...submitted };
    }
    case "run.cancel":
      await sessions.cancel(message.thread_id);
      return { type: "tinyvex.ok", request_id, thread_id: message.thread_id };
    case "run.edit":
    case "run.remove":
    case "elicitation.respond":
    case "rules.save":
    case "rules.delete":
    case "agents.test":
    case "data.vacuum":
    case "import.start":
    case "session.resume":
    case "session.set_mode":
    case "session.set_config_option":
    case "permission.respond":
      throw new HostError("unavailable", `This version of Signalbox does not serve ${message.control} yet.`);
  }
}

export function subscriptionSource(
  message: Extract<ClientMessage, { control: "tvx.subscribe" }>,
  { register, fanOut }: Rooms,
): SubscriptionSource {
  if (message.stream === "threads") {
    return {
      follow: (listener) => fanOut.followThreads(listener),
      read: async () => {
        const { rows } = await register.query("threads.list", {});
        const summaries = rows as unknown as readonly ThreadSummaryRow[];
        return { message: { type: "tinyvex.snapshot", stream: "threads", rows: summaries }, seq: null };
      },
    };
  }
  const { thread_id, limit } = message;
  if (thread_id === undefined) throw new HostError("bad_request", "The stream thread needs a thread_id.");
  return {
    follow: (listener) => fanOut.followThread(thread_id, listener),
    read: async (after_seq) => {
      const snapshot = await register.snapshot(thread_id, { after_seq, limit });
      return { message: { type: "tinyvex.snapshot", stream: "thread", thread_id, ...snapshot }, seq: snapshot.seq };
    },
  };
}

export function errorMessage(error: unknown, request_id: RequestId | undefined): ServerMessage {
  if (error instanceof HostError) {
    const { code, message, details } = error;
    return { type: "tinyvex.error", request_id, code, message, ...(details === undefined ? {} : { details }) };
  }
  if (error instanceof RegisterError) {
    return {
      type: "tinyvex.error",
      request_id,
      code: registerCodes[error.code] ?? "unavailable",
      message: error.message,
    };
  }
  return { type: "tinyvex.error", request_id, code: "internal", message: messageOf(error) };
}

/** Everything else of the register (disk full, busy …) means: not now. */
const registerCodes: Partial<Record<RegisterError["code"], ErrorCode>> = {
  not_found: "not_found",
  bad_request: "bad_request",
  internal: "internal",
};

function listAgents({ agents }: Rooms) {
  return agents.all().map(({ id, label }) => ({ id, label, readiness: "ready", reason: null, version: null }));
}
