// `signalbox show`: one thread, as a person reads it, as JSON, or its log as it was written.
import {
  allRows,
  type EventRow,
  findThread,
  longestPage,
  openForReading,
  readThread,
  threadJson,
  threadText,
} from "@signalbox/host";
import { UsageError } from "../arguments.ts";
import { command, exitCodes, jsonFlag, registerFlags } from "../command.ts";
import { nothingKept } from "../nothing-kept.ts";
import { Output } from "../output.ts";

/** Events may be big, so few at a time. */
const eventsAtOnce = 20;

export const show = command({
  usage: "signalbox show THREAD [flags]",
  about:
    "Shows a thread: what was said, each tool call, what was allowed. THREAD is an id as `signalbox threads` shows it, the beginning of one, or `last`.",
  words: { name: "THREAD", min: 1, max: 1 },
  flags: {
    last: { type: "number", value: "N", min: 1, max: longestPage, help: "only the newest N messages and tool calls" },
    events: { type: "boolean", help: "the log as it was written, one event a line, with every field the agent sent" },
    ...jsonFlag(
      "one object with thread, plan, state, turns, permissions, elicitations, terminals, timeline; with --events one event a line",
    ),
    ...registerFlags,
  },
  examples: [
    ["signalbox show last", "the thread that was active last"],
    ["signalbox show t1k2m --last 5", "the end of a thread, by the beginning of its id"],
    ["signalbox show last --events | jq -r .kind | sort | uniq -c", "what an agent sent, counted"],
  ],
  async run(flags, _program, { given: [wanted = ""] }) {
    if (flags.last !== undefined && (flags.json || flags.events)) {
      throw new UsageError("--last is for reading; --json and --events give the whole thread.");
    }
    const output = new Output();
    const register = await openForReading(flags["data-dir"]);
    if (register === null) return nothingKept(output, flags.json);
    try {
      const thread = await findThread(register, wanted);
      if (flags.events) {
        const args = { thread_id: thread.id, full: true };
        await output.all(lines(allRows<EventRow>(register, "events.list", args, { limit: eventsAtOnce })));
      } else if (flags.json) await output.all(threadJson(register, thread));
      else {
        const options = flags.last === undefined ? {} : { last: flags.last };
        await output.all(threadText(await readThread(register, thread, options), output.look));
      }
      return exitCodes.ok;
    } finally {
      await register.close();
    }
  },
});

async function* lines(rows: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const row of rows) yield `${JSON.stringify(row)}\n`;
}
