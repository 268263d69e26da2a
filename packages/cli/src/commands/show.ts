// `signalbox show` prints one thread as text, as JSON, or as its raw events.

import { maxPageSize, readAllRows, readThread, writeThreadJson, writeThreadText } from "@signalbox/reports";
import { UsageError } from "../arguments.ts";
import { command, exitCodes, jsonFlag, registerFlags } from "../command.ts";
import { nothingKept } from "../nothing-kept.ts";
import { Output } from "../output.ts";
import { findThread, openForReading } from "../register/open-for-reading.ts";

/** Events may be large, so only a few are read at a time. */
const eventsPerPage = 20;

export const show = command({
  usage: "signalbox show THREAD [flags]",
  about:
    "Shows a thread: messages, tool calls and permissions. THREAD is an id from `signalbox threads`, the beginning of an id, or `last`.",
  words: { name: "THREAD", min: 1, max: 1 },
  flags: {
    last: { type: "number", value: "N", min: 1, max: maxPageSize, help: "only the last N messages and tool calls" },
    events: { type: "boolean", help: "the raw event log, one event per line, with every field the agent sent" },
    ...jsonFlag(
      "one object with thread, plan, state, turns, permissions, elicitations, terminals, timeline; with --events one event per line",
    ),
    ...registerFlags,
  },
  examples: [
    ["signalbox show last", "the latest thread"],
    ["signalbox show t1k2m --last 5", "the end of a thread"],
    ["signalbox show last --events | jq -r .kind | sort | uniq -c", "count the events by kind"],
  ],
  async run(flags, _program, { given: [wanted = ""] }) {
    if (flags.last !== undefined && (flags.json || flags.events)) {
      throw new UsageError("--last cannot be combined with --json or --events, which print the whole thread.");
    }
    const output = new Output();
    const register = await openForReading(flags["data-dir"]);
    if (register === null) return nothingKept(output, flags.json);
    try {
      const thread = await findThread(register, wanted);
      if (flags.events) {
        const args = { thread_id: thread.id, full: true };
        await output.all(lines(readAllRows(register, "events.list", args, { limit: eventsPerPage })));
      } else if (flags.json) await output.all(writeThreadJson(register, thread));
      else {
        const options = flags.last === undefined ? {} : { last: flags.last };
        await output.all(writeThreadText(await readThread(register, thread, options), output.layout));
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
