// A thread of a Signalbox host as a runtime of assistant-ui: its messages, tool calls and questions for permission.
import { type AppendMessage, type AssistantRuntime, useExternalStoreRuntime } from "@assistant-ui/react";
import type { ContentBlock, PermissionRow } from "@signalbox/protocol";
import { answerPermission, mildestOptions, submitPrompt, useSignalboxClient, useThread } from "@signalbox/react";
import { useMemo } from "react";
import { toMessages } from "./to-messages.ts";

/** For `AssistantRuntimeProvider`. The component is inside `SignalboxProvider`. */
export function useSignalboxRuntime(threadId: string): AssistantRuntime {
  const { connection } = useSignalboxClient();
  const { view } = useThread(threadId);
  const items = view?.timeline;
  const permissions = view?.permissions;
  const status = view?.thread.status;
  const isRunning = status === "running" || status === "waiting";
  const messages = useMemo(
    () => toMessages({ items: items ?? [], permissions: permissions ?? [], isRunning }),
    [items, permissions, isRunning],
  );
  return useExternalStoreRuntime({
    messages,
    isRunning,
    isLoading: view === null,
    convertMessage: (message) => message,
    onNew: async (message) => void (await submitPrompt(connection, threadId, blocksOf(message))),
    onCancel: () => connection.request("run.cancel", { thread_id: threadId }),
    onRespondToToolApproval: async ({ approvalId, ...response }) => {
      const question = permissions?.find((row) => row.permission_id === approvalId);
      if (question === undefined) throw new Error("There is no such question in this thread.");
      const comment = "reason" in response && response.reason !== undefined ? { comment: response.reason } : {};
      await answerPermission(connection, question, optionFor(question, response), comment);
    },
  });
}

/** Null denies. What does not say yes in so many words is a no. */
function optionFor({ options }: PermissionRow, response: { optionId?: string; approved?: boolean }) {
  if (response.optionId !== undefined) return options.find(({ optionId }) => optionId === response.optionId) ?? null;
  const { allow, deny } = mildestOptions(options);
  if (response.approved !== true) return deny ?? null;
  if (allow === undefined)
    throw new Error("The agent offers no way to allow this once: answer with one of its options.");
  return allow;
}

/** Texts and pictures; assistant-ui has them in the message and in its attachments. */
function blocksOf({ content, attachments = [] }: AppendMessage): readonly ContentBlock[] {
  return [...content, ...attachments.flatMap((each) => each.content)].map((part): ContentBlock => {
    if (part.type === "text") return { type: "text", text: part.text };
    const [, mimeType, data] = part.type === "image" ? (/^data:([^;,]+);base64,(.*)$/s.exec(part.image) ?? []) : [];
    if (mimeType === undefined || data === undefined)
      throw new Error(`A prompt can have texts and pictures (as data: addresses), but no ${part.type}.`);
    return { type: "image", mimeType, data };
  });
}
