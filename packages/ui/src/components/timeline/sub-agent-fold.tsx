// What a sub-agent did, in one line under the call that started it: how much, what failed, what happens now. It opens and folds its calls.
import type { PermissionRow } from "@signalbox/protocol";
import { useSyncExternalStore } from "react";
import { useThreadSource } from "../../hooks/open-thread.tsx";
import type { Work } from "../../hooks/sub-agents.ts";
import type { FoldedWork } from "../../hooks/use-timeline.ts";
import { Title } from "../tool-call/tool-call-item.tsx";
import { workState } from "./work-state.ts";

export type OnFold = (work: Work, isOpen: boolean) => void;

const none: readonly PermissionRow[] = [];

export function SubAgentFold({ work, onFold }: { work: FoldedWork; onFold: OnFold }) {
  const { store } = useThreadSource();
  const permissions = useSyncExternalStore(store.subscribe, () => store.get().view?.permissions ?? none);
  const { count, failed, now } = workState(work.calls, permissions);
  return (
    <button
      type="button"
      className="fold sub-agent-fold"
      aria-expanded={work.isOpen}
      onClick={() => onFold(work, !work.isOpen)}
    >
      <span className="count">Sub-agent: {count === 1 ? "1 call" : `${count} calls`}</span>
      {failed > 0 && <span className="failed">{failed} failed</span>}
      {now !== null && (
        <span className="now" data-waiting={now.isWaiting || undefined}>
          {now.isWaiting ? "waits for you:" : "now:"} <Title title={now.call.title} />
          {now.others > 0 && <span className="others">and {now.others} more</span>}
        </span>
      )}
    </button>
  );
}
