// Says where a subscription reads its snapshot, and which changes follow it.
import type { RequestParams } from "@signalbox/protocol";
import { HostError } from "../data/host-error.ts";
import type { HostServices } from "./host-services.ts";
import type { SubscriptionSource } from "./subscription.ts";

export function openSource(
  { stream, thread_id, limit }: RequestParams<"tvx.subscribe">,
  { threads, fanOut }: Pick<HostServices, "threads" | "fanOut">,
): SubscriptionSource {
  if (stream === "threads") {
    return {
      follow: (listener) => fanOut.followThreads(listener),
      read: async () => {
        const { rows } = await threads.query("threads.list", {});
        return { message: { type: "tinyvex.snapshot", stream: "threads", rows }, seq: null };
      },
    };
  }
  if (thread_id === undefined) throw new HostError("bad_request", "The stream thread needs a thread_id.");
  return {
    follow: (listener) => fanOut.followThread(thread_id, listener),
    read: async (after_seq) => {
      const snapshot = await threads.snapshot(thread_id, { after_seq, limit });
      return { message: { type: "tinyvex.snapshot", stream: "thread", thread_id, ...snapshot }, seq: snapshot.seq };
    },
  };
}
