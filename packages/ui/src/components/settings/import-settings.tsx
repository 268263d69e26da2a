// The Import section: imports the histories of other agents on this machine.

import { useSignalbox } from "../../hooks/signalbox.ts";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { useProgress } from "../../hooks/use-progress.ts";
import { ErrorText } from "../shared/error-text.tsx";
import { ProgressBar } from "../shared/progress-bar.tsx";
import { Section } from "./section.tsx";

const sources = [
  ["claude", "Claude Code"],
  ["codex", "Codex"],
] as const;

export function ImportSettings() {
  return (
    <Section
      title="Import"
      lead="Imports earlier sessions of other agents, so that you can search them here. Safe to run again."
    >
      <ul className="rows">
        {sources.map(([source, label]) => (
          <Source key={source} source={source} label={label} />
        ))}
      </ul>
    </Section>
  );
}

function Source({ source, label }: { source: "claude" | "codex"; label: string }) {
  const { connection } = useSignalbox();
  const { attempt, error, isBusy } = useAttempt();
  const progress = useProgress("import", source);
  const isRunning = isBusy || progress?.finished === false;
  return (
    <li>
      <b>{label}</b>
      <small role="status">
        {progress !== null && progress.message}
        {progress?.total !== undefined && ` ${progress.done ?? 0} of ${progress.total}`}
      </small>
      <button
        type="button"
        className="button"
        disabled={isRunning}
        aria-label={`Import ${label}`}
        onClick={() => void attempt(() => connection.request("import.start", { source }))}
      >
        {isRunning ? "Importing …" : "Import"}
      </button>
      {progress?.total !== undefined && !progress.finished && (
        <ProgressBar label={`Import of ${label}`} done={progress.done} total={progress.total} />
      )}
      <ErrorText error={error} />
    </li>
  );
}
