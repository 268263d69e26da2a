// Questions of this thread's agent, right above the composer where they cannot be missed: one at a time, the oldest first, with the count
// of those behind it.
import type { ThreadView } from "@signalbox/protocol";
import { useMemo } from "react";
import { QuestionCard } from "./question-card.tsx";

export function QuestionDock({ view }: { view: ThreadView }) {
  const { permissions, thread, timeline } = view;
  const pending = useMemo(() => permissions.filter((row) => row.status === "pending"), [permissions]);
  const [question] = pending;
  if (question === undefined) return null;
  const toolCall = timeline.findLast(
    (item) => item.type === "tool_call" && item.tool_call_id === question.tool_call_id,
  );
  return (
    <section className="dock" aria-label="Waiting for your decision">
      <QuestionCard
        key={question.permission_id}
        question={question}
        toolCall={toolCall?.type === "tool_call" ? toolCall : null}
        thread={thread}
        behind={pending.length - 1}
      />
    </section>
  );
}
