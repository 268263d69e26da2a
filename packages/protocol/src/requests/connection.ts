// Requests about the connection itself.
import { z } from "zod";
import { type ActionDefinition, result } from "./define.ts";
import { nothing, seq, threadId } from "./fields.ts";

/** The stream of all threads, or of one. */
const stream = { stream: z.enum(["threads", "thread"]), thread_id: threadId.optional() };

export const subscriptionRequests = {
  "tvx.subscribe": {
    about: "Sends a snapshot of the list of threads, or of one thread, and then every change.",
    params: z.object({
      ...stream,
      after_seq: seq.optional().describe("send only what is newer"),
      limit: z.number().int().min(1).max(1000).optional().describe("how many timeline items the snapshot has"),
    }),
    result: result<void>(),
    answer: "tinyvex.snapshot",
  },
  "tvx.unsubscribe": { about: "Ends a subscription.", params: z.object(stream), result: result<void>() },
} as const satisfies Record<string, ActionDefinition>;

export const connectionRequests = {
  "tvx.ping": {
    about: "Does nothing; the answer shows that the host is alive.",
    params: nothing,
    result: result<void>(),
    answer: "tinyvex.pong",
  },
} as const satisfies Record<string, ActionDefinition>;
