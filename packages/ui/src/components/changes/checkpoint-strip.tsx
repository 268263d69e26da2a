// The checkpoints of a thread as a line of stations: a click shows the changes of one turn, or of the whole thread.
import type { ThreadView } from "@signalbox/protocol";
import { useMemo } from "react";
import { go } from "../../hooks/use-route.ts";
import { listCheckpoints } from "./checkpoints.ts";

export function CheckpointStrip({ view, turnId }: { view: ThreadView; turnId: string | null }) {
  const { thread, turns, timeline } = view;
  const checkpoints = useMemo(() => listCheckpoints({ turns, timeline }), [turns, timeline]);
  return (
    <nav className="checkpoints" aria-label="Checkpoints">
      <ol>
        {checkpoints.map((checkpoint) => (
          <li key={checkpoint.turnId ?? "all"}>
            <button
              type="button"
              aria-current={checkpoint.turnId === turnId || undefined}
              onClick={() =>
                go({
                  page: "changes",
                  threadId: thread.id,
                  ...(checkpoint.turnId !== null && { turnId: checkpoint.turnId }),
                })
              }
            >
              <b>{checkpoint.label}</b>
              <span>{checkpoint.detail}</span>
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}
