// Shows a sub-agent as a siding beside the line: it leaves the bar of the call that started it, says what was done, and ends in its answer. A click
// shows its calls.
import type { PermissionRow } from "@signalbox/protocol";
import { useSyncExternalStore } from "react";
import { useThreadSource } from "../../hooks/open-thread.tsx";
import type { Work } from "../../hooks/sub-agents.ts";
import type { FoldedWork } from "../../hooks/use-timeline.ts";
import { Icon } from "../shared/icon.tsx";
import { CallTitle } from "../tool-call/call-title.tsx";
import { RunWords } from "./run-line.tsx";
import { subAgentSummary } from "./sub-agent-summary.ts";

export type OnFold = (work: Work, isOpen: boolean) => void;

const none: readonly PermissionRow[] = [];

export function SubAgentFold({ work, onFold }: { work: FoldedWork; onFold: OnFold }) {
  const { store } = useThreadSource();
  const permissions = useSyncExternalStore(store.subscribe, () => store.get().view?.permissions ?? none);
  const { done, failed, now, answer } = subAgentSummary(work, permissions);
  return (
    <div className="siding">
      <button type="button" className="run-line" aria-expanded={work.isOpen} onClick={() => onFold(work, !work.isOpen)}>
        <span className="visually-hidden">Sub-agent: </span>
        {done.length > 0 && <RunWords calls={done} />}
        {failed > 0 && <span className="failed">{failed} failed</span>}
        {now !== null && (
          <span className="now" data-waiting={now.isWaiting || undefined}>
            {now.isWaiting ? "waiting for you:" : "now:"} <CallTitle title={now.call.title} />
            {now.others > 0 && <span className="others">and {now.others} more</span>}
          </span>
        )}
        {work.calls.length === 0 && <span>{work.items.length === 1 ? "1 text" : `${work.items.length} texts`}</span>}
        <Icon name="right" isSmall />
      </button>
      {answer !== null && !work.isOpen && (
        <p className="siding-answer" dir="auto">
          {answer}
        </p>
      )}
    </div>
  );
}
