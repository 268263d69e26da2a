// Starts one command with joined output: by the helper that stays running or, without our helper, as a child process.
import type { Launch } from "../launch/launch-request.ts";
import { type LaunchedStreams, Launcher } from "../launch/launcher.ts";
import { readReports } from "./report-lines.ts";
import { type End, killedEnd, parseReport, startProcess } from "./start-process.ts";

export interface StartedCommand {
  /** Both outputs, in the order in which they were written. */
  readonly output: AsyncIterable<Buffer>;
  readonly end: Promise<End>;
  /** Ends the whole tree. */
  stop(): void;
}

export function startCommand(launch: Launch, onChanged: () => void = () => {}): StartedCommand {
  if (launch.ends === "by-signal") return startProcess(launch, onChanged);
  const unwanted = new AbortController();
  const starting = Launcher.start(launch, unwanted.signal);
  return {
    output: streamOutput(starting),
    end: starting.then(
      (streams) => readEnd(streams, onChanged),
      (error: unknown): End => {
        if (unwanted.signal.aborted) return { kind: "stopped" };
        return { kind: "not-started", problem: error instanceof Error ? error.message : String(error) };
      },
    ),
    stop: () => {
      unwanted.abort();
      starting.then(({ control }) => control.end()).catch(() => {});
    },
  };
}

async function* streamOutput(starting: Promise<LaunchedStreams>): AsyncGenerator<Buffer> {
  const streams = await starting.catch(() => undefined); // `end` says why
  if (streams !== undefined) yield* streams.output as AsyncIterable<Buffer>;
}

function readEnd({ control }: LaunchedStreams, onChanged: () => void): Promise<End> {
  return new Promise((resolve) => {
    readReports(control, onChanged, (line) => resolve(parseReport(line)));
    control.once("close", () => resolve(killedEnd));
  });
}
