// Shows the terminal of a command: its output so far, or its end, and the rest on a click.
import type { TerminalRow } from "@signalbox/protocol";
import { memo } from "react";
import { useThreadPlace } from "../../hooks/open-thread.tsx";
import { AsideOnCard } from "../changes/aside-settings.tsx";
import { LargeOutput } from "./large-output.tsx";
import { PortsOnCard } from "./open-ports.tsx";
import { RunAgain } from "./run-again.tsx";
import { TerminalText } from "./terminal-text.tsx";

export const TerminalView = memo(function TerminalView({ terminal }: { terminal: TerminalRow }) {
  const { output_ref: whole, output, command } = terminal;
  const isOnlyEnd = terminal.output_offset > 0;
  const threadId = useThreadPlace()?.threadId;
  const hasFailed = terminal.ended_at !== null && terminal.exit_code !== 0;
  return (
    <>
      {isOnlyEnd && whole === null && <p className="hint">Only the end is shown while the command runs.</p>}
      {isOnlyEnd && whole !== null ? (
        <LargeOutput blob={whole} end={output} label={command} />
      ) : (
        <TerminalText text={output} isLive={terminal.ended_at === null} startsAtEnd={hasFailed} label={command} />
      )}
      {terminal.truncated && (
        <p className="hint">The agent asked for a limited output and could read only the end of this.</p>
      )}
      {terminal.ended_at === null && threadId !== undefined && <PortsOnCard threadId={threadId} output={output} />}
      {terminal.ended_at !== null && threadId !== undefined && <AsideOnCard threadId={threadId} output={output} />}
      {hasFailed && terminal.signal === null && <RunAgain terminal={terminal} />}
    </>
  );
});
