// Loaded into a process with `--import`: counts which functions run, and tells the test that asks over a socket. It needs no change of the program.
import { Session } from "node:inspector";
import { connect } from "node:net";
import { createInterface } from "node:readline";

const session = new Session();
session.connect();
session.post("Profiler.enable");
session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

/** The functions that ran since the last time, as "file function". A module's own top level, which runs when it is loaded, is none. */
function takeFunctions() {
  let ran = [];
  // Inside of the process the answer comes before `post` returns.
  session.post("Profiler.takePreciseCoverage", (error, coverage) => {
    if (error !== null) throw error;
    ran = coverage.result.flatMap(({ url, functions }) =>
      functions
        .filter(
          ({ functionName, ranges: [range] }) => range.count > 0 && !(functionName === "" && range.startOffset === 0),
        )
        .map(({ functionName }) => ({ url, name: functionName })),
    );
  });
  return ran;
}

const socket = connect(process.env.SIGNALBOX_TRACE_SOCKET ?? "");
socket.unref();
createInterface({ input: socket }).on("line", () => socket.write(`${JSON.stringify(takeFunctions())}\n`));
socket.write(`${JSON.stringify(process.env.SIGNALBOX_TRACE_NAME)}\n`);
