// Shows a run of finished calls as one line of text. A click unfolds it to rows.
import type { ToolCallRow } from "@signalbox/protocol";
import { memo } from "react";
import { describeRun } from "../../hooks/runs.ts";
import type { RunEntry } from "../../hooks/use-timeline.ts";
import { Icon } from "../shared/icon.tsx";

interface RunLineProps {
  readonly run: RunEntry;
  readonly onToggle: (run: RunEntry) => void;
}

export const RunLine = memo(function RunLine({ run, onToggle }: RunLineProps) {
  const calls = run.items.flatMap(({ item }) => (item.type === "tool_call" ? [item] : []));
  return (
    <article className="entry run" aria-label="Finished steps">
      <button type="button" className="run-line" aria-expanded={run.isOpen} onClick={() => onToggle(run)}>
        <RunWords calls={calls} />
        <Icon name="right" isSmall />
      </button>
    </article>
  );
});

/** "Read 4 files · searched twice · 3.1 s". */
export function RunWords({ calls }: { calls: readonly ToolCallRow[] }) {
  return describeRun(calls).map((part, index) => (
    <span key={part}>
      {index > 0 && <i aria-hidden="true">·</i>} {part}
    </span>
  ));
}
