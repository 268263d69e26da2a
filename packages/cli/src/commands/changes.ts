// `signalbox changes` lists what a thread changed on the disk, by tool or by command.

import { formatChanges, formatPatch } from "@signalbox/reports";
import { command, exitCodes, jsonFlag, registerFlags } from "../command.ts";
import { nothingKept } from "../nothing-kept.ts";
import { Output } from "../output.ts";
import { openChanges } from "../register/open-changes.ts";

export const changes = command({
  usage: "signalbox changes THREAD [flags]",
  about:
    "Lists the files that a thread changed, whether its agent edited them or a command did. THREAD is an id from `signalbox threads`, the beginning of an id, or `last`.",
  words: { name: "THREAD", min: 1, max: 1 },
  flags: {
    turn: {
      type: "string",
      value: "TURN",
      help: "only what this turn changed (an id from `signalbox show THREAD --json`)",
    },
    patch: { type: "boolean", help: "the differences too" },
    ...jsonFlag("one file per line; with --patch also its hunks"),
    ...registerFlags,
  },
  examples: [
    ["signalbox changes last", "the files that the latest thread changed"],
    ["signalbox changes last --patch | less", "with their differences"],
  ],
  async run(flags, _program, { given: [wanted = ""] }) {
    const output = new Output();
    const access = await openChanges(flags["data-dir"]);
    if (access === null) return nothingKept(output, flags.json);
    try {
      const thread = await access.findThread(wanted);
      const turn = flags.turn === undefined ? {} : { turn_id: flags.turn };
      const rows = await access.list({ thread_id: thread.id, ...turn });
      if (rows.length === 0 && !flags.json) output.line("No files were changed.");
      else if (!flags.patch) {
        await output.all(
          flags.json ? rows.map((row) => `${JSON.stringify(row)}\n`) : [formatChanges(rows, output.layout)],
        );
      } else {
        for (const row of rows) {
          const [difference] = await access.diff({ thread_id: thread.id, path: row.path, ...turn });
          if (difference === undefined) continue;
          output.write(
            flags.json
              ? `${JSON.stringify({ ...difference, source: row.source })}\n`
              : formatPatch(difference, output.layout),
          );
        }
      }
      return exitCodes.ok;
    } finally {
      await access.close();
    }
  },
});
