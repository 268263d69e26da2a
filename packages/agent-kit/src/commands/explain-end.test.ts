import { describe, expect, it } from "vitest";
import type { CommandEnd } from "./command.ts";
import { explainEnd } from "./explain-end.ts";

const ways = { escalation: "Ask for more.", network: "Ask for the network.", runningJobs: ["job_1"] };

function end(exitCode: number, facts: Partial<CommandEnd> = {}): CommandEnd {
  const ending = { ended: "exit", exitCode } as const;
  return { output: "", isTruncated: false, ending, denied: [], networkDenied: false, ...facts };
}

describe("how a command ended is told to the model", () => {
  it.each<[string, CommandEnd, readonly string[], readonly string[]]>([
    ["nothing where all went well", end(0), [], []],
    ["an exit code first", end(3), ["Exit code 3"], []],
    [
      "a denial and the way out, before the output of a failure",
      end(1, { denied: ["The sandbox probably denied: a"] }),
      ["Exit code 1", "The sandbox probably denied: a", "Ask for more."],
      [],
    ],
    [
      "a guess after the output where a pipe may hide a failure",
      end(0, { networkDenied: true }),
      [],
      ["If something above failed because of the sandbox:", "Ask for the network."],
    ],
    [
      "a server on this machine that is not there",
      end(7, { output: "curl: (7) Failed to connect to 127.0.0.1 port 9999 after 0 ms: Couldn't connect to server\n" }),
      ["Exit code 7", "Nothing listens on 127.0.0.1:9999 in this session. Running jobs: job_1."],
      [],
    ],
    [
      "the same in the words of node and psql",
      end(0, { output: 'ok\npsql: connection to server at "localhost", port 5432 failed: Connection refused\n' }),
      [],
      ["Nothing listens on localhost:5432 in this session. Running jobs: job_1."],
    ],
  ])("%s", (_, ended, before, after) => expect(explainEnd(ended, ways)).toEqual({ before, after }));
});
