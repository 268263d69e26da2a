// The lines of an agent, from bytes to rows: every line is read in the same way whatever came before it, what it sent is kept as it was sent, and the
// register stores it.
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { applyChange, applySnapshot, type Json, type ThreadView } from "@signalbox/protocol";
import { LineSplitter } from "@signalbox/sandbox/lines";
import { AgentLineParser } from "../../../packages/tinyvex/src/log/agent-line.ts";
import { openRegister } from "../../../packages/tinyvex/src/open-register.ts";
import { assert, attempt, type OpenBorder } from "../border.ts";

/** The next thread begins after so many lines: a long one makes each check slower. */
const linesPerThread = 500;

export const openAgentLines: OpenBorder = async (folder) => {
  const register = await openRegister({ path: join(folder, "register.db") });
  const parser = new AgentLineParser();
  let view: ThreadView | undefined;
  let thread = "";
  let count = 0;
  register.onChanges((changes) => {
    for (const change of changes)
      if (view !== undefined && "thread_id" in change && change.thread_id === thread) view = applyChange(view, change);
  });
  return {
    async check(input) {
      if (count++ % linesPerThread === 0) {
        thread = (await register.createThread({ agent_id: "fuzzed", cwd: "/w" })).id;
        view = applySnapshot(null, await register.snapshot(thread));
      }
      for (const line of split(input)) {
        const parsed = parser.parse(Buffer.from(line));
        const alone = new AgentLineParser().parse(Buffer.from(line));
        assert(isDeepStrictEqual(parsed?.message, alone?.message), "a line is read alike whatever came before");
        if (parsed === null) continue;
        const { message, update, source } = parsed;
        if (source !== undefined && source.refs.length === 0) {
          const sent: Json = JSON.parse(line.toString("utf8")).params;
          assert(isDeepStrictEqual(JSON.parse(source.json), sent), "the params are logged as they were sent");
        }
        const { method, params } = message;
        if (update !== null) register.append(thread, { type: "update", update, source });
        else if (typeof method === "string") register.append(thread, { type: "notification", method, params, source });
      }
      await register.settled(thread);
      if (count % 100 === 0) await register.snapshot(thread);
    },
    close: () => register.close(),
  };
};

/** Through the splitter, in pieces of different sizes: the lines are those of the whole. */
function split(input: Buffer): readonly Buffer[] {
  const lines: Buffer[] = [];
  const splitter = new LineSplitter(1024 * 1024, (line) => lines.push(Buffer.from(line)));
  for (let at = 0, size = 1; at < input.length; at += size, size = (size * 7) % 4093)
    splitter.push(input.subarray(at, at + size));
  attempt(() => splitter.end());
  const whole = input
    .toString("latin1")
    .split("\n")
    .filter((line) => line !== "");
  assert(
    isDeepStrictEqual(
      lines.map((line) => line.toString("latin1")),
      whole,
    ),
    "a line is the same in any pieces",
  );
  return lines;
}
