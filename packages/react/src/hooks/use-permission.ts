// The questions for permission that wait in a thread, and how to answer the oldest of them.

import { type Answer, answerPermission, mildestOptions } from "@signalbox/client";
import type { PermissionOption, QuestionRow } from "@signalbox/protocol";
import { useMemo } from "react";
import { useSignalboxClient } from "./signalbox.tsx";
import { useStore } from "./use-store.ts";

type PermissionQuestion = Extract<QuestionRow, { readonly type: "permission" }>;

export interface AskedPermission {
  /** The oldest one; null when nothing waits. */
  readonly question: PermissionQuestion | null;
  /** How many more wait behind it. */
  readonly others: number;
  /** Allows this one thing, once. Rejects where the agent offers no such answer: then `answer` with one of the question's options. */
  readonly allow: () => Promise<void>;
  readonly deny: (comment?: string) => Promise<void>;
  readonly answer: (option: PermissionOption, more?: Answer) => Promise<void>;
}

export function usePermission(threadId: string): AskedPermission {
  const { connection, questions } = useSignalboxClient();
  const all = useStore(questions);
  return useMemo(() => {
    const waiting = all.filter(
      (row): row is PermissionQuestion => row.type === "permission" && row.thread_id === threadId,
    );
    const question = waiting[0] ?? null;
    const send = async (option: PermissionOption | null, more?: Answer) => {
      if (question === null) throw new Error("No question waits in this thread.");
      await answerPermission(connection, question, option, more);
    };
    return {
      question,
      others: Math.max(0, waiting.length - 1),
      allow: async () => {
        const { allow } = mildestOptions(question?.options ?? []);
        if (allow === undefined) throw new Error("The agent offers no way to allow this once.");
        await send(allow);
      },
      deny: (comment) =>
        send(mildestOptions(question?.options ?? []).deny ?? null, comment === undefined ? {} : { comment }),
      answer: send,
    };
  }, [connection, all, threadId]);
}
