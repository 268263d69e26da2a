// Shows the questions of the thread above the composer: one at a time, the oldest first, with the number of those that wait.
import type { ThreadView, TimelineItem } from "@signalbox/protocol";
import { useStore } from "@signalbox/react";
import { lazy, Suspense, useEffect, useMemo } from "react";
import { loadPart } from "../../connection/load-part.ts";
import { usePartName } from "../../hooks/pane.ts";
import { goingToQuestion } from "../../stores/going-to-question.ts";
import { buildGroupKey } from "./answers.ts";
import { focusCard } from "./focus-card.ts";
import { QuestionCard } from "./question-card.tsx";

const ElicitationCard = lazy(() => loadPart(() => import("../elicitation/elicitation-card.tsx")));

export function QuestionDock({ view }: { view: ThreadView }) {
  const { permissions, elicitations, thread, timeline } = view;
  const name = usePartName("Waiting for you");
  const pending = useMemo(
    () => [...permissions, ...elicitations].filter((row) => row.status === "pending").toSorted((a, b) => a.seq - b.seq),
    [permissions, elicitations],
  );
  const isWanted = useStore(goingToQuestion) === thread.id;
  useEffect(() => {
    if (!isWanted) return;
    goingToQuestion.set(null);
    focusCard();
  }, [isWanted]);
  const [question] = pending;
  if (question === undefined) return null;
  const behind = pending.length - 1;
  if ("elicitation_id" in question) {
    return (
      <section className="dock" aria-label={name}>
        <Suspense fallback={null}>
          <ElicitationCard key={question.elicitation_id} question={question} thread={thread} behind={behind} />
        </Suspense>
      </section>
    );
  }
  const toolCall = findCall(timeline, question.tool_call_id);
  const parent = toolCall?.parent_tool_call_id ?? null;
  const alike = permissions.filter(
    (row) => row.status === "pending" && row !== question && buildGroupKey(row) === buildGroupKey(question),
  );
  return (
    <section className="dock" aria-label={name}>
      <QuestionCard
        key={question.permission_id}
        question={question}
        subAgent={parent === null ? null : { task: findCall(timeline, parent)?.title ?? null }}
        thread={thread}
        alike={alike}
        behind={behind - alike.length}
      />
    </section>
  );
}

function findCall(timeline: readonly TimelineItem[], id: string | null) {
  const item = timeline.findLast((candidate) => candidate.type === "tool_call" && candidate.tool_call_id === id);
  return item?.type === "tool_call" ? item : null;
}
