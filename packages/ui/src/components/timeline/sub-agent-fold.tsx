// Summarises a sub-agent in one line under the call that started it: number of calls, failures, current call. A click shows its calls.
import type { PermissionRow } from "@signalbox/protocol";
import { useSyncExternalStore } from "react";
import { useThreadSource } from "../../hooks/open-thread.tsx";
import type { Work } from "../../hooks/sub-agents.ts";
import type { FoldedWork } from "../../hooks/use-timeline.ts";
import { CallTitle } from "../tool-call/call-title.tsx";
import { subAgentSummary } from "./sub-agent-summary.ts";

export type OnFold = (work: Work, isOpen: boolean) => void;

const none: readonly PermissionRow[] = [];
const counted = (count: number, noun: string) => `${count} ${count === 1 ? noun : `${noun}s`}`;

export function SubAgentFold({ work, onFold }: { work: FoldedWork; onFold: OnFold }) {
  const { store } = useThreadSource();
  const permissions = useSyncExternalStore(store.subscribe, () => store.get().view?.permissions ?? none);
  const { count, failed, now } = subAgentSummary(work.calls, permissions);
  return (
    <button
      type="button"
      className="fold sub-agent-fold"
      aria-expanded={work.isOpen}
      onClick={() => onFold(work, !work.isOpen)}
    >
      <span className="count">
        Sub-agent: {count === 0 ? counted(work.items.length, "text") : counted(count, "call")}
      </span>
      {failed > 0 && <span className="failed">{failed} failed</span>}
      {now !== null && (
        <span className="now" data-waiting={now.isWaiting || undefined}>
          {now.isWaiting ? "waiting for you:" : "now:"} <CallTitle title={now.call.title} />
          {now.others > 0 && <span className="others">and {now.others} more</span>}
        </span>
      )}
    </button>
  );
}
