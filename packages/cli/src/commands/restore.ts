// `signalbox restore` puts files back to how they were when a prompt was sent.

import { formatRestore } from "@signalbox/reports";
import { UsageError } from "../arguments.ts";
import { command, exitCodes, jsonFlag, registerFlags } from "../command.ts";
import { nothingKept } from "../nothing-kept.ts";
import { Output } from "../output.ts";
import { openChanges } from "../register/open-changes.ts";

export const restore = command({
  usage: "signalbox restore THREAD --to TURN [flags]",
  about: [
    "Puts the files that a thread changed back to how they were when the prompt of TURN was sent. THREAD is an id from `signalbox threads`,",
    "the beginning of an id, or `last`. A file that somebody else changed since then is left as it is. The restore can be undone: restore to it.",
    "Exit codes: 0 done, 1 some files were left as they are.",
  ].join("\n"),
  words: { name: "THREAD", min: 1, max: 1 },
  flags: {
    to: { type: "string", value: "TURN", help: "a turn or an earlier restore (ids: `signalbox show THREAD --json`)" },
    path: { type: "list", value: "PATH", help: "only this file, relative to the thread's folder" },
    "dry-run": { type: "boolean", help: "say what would happen and change nothing" },
    ...jsonFlag("one object {turn_id, restored, files, conflicts}"),
    ...registerFlags,
  },
  examples: [
    ["signalbox restore last --to TURN --dry-run", "what would be put back"],
    ["signalbox restore last --to TURN --path src/a.ts", "only one file"],
  ],
  async run(flags, _program, { given: [wanted = ""] }) {
    const { to } = flags;
    if (to === undefined) throw new UsageError("Say where to put the files back to: --to TURN.");
    const output = new Output();
    const access = await openChanges(flags["data-dir"]);
    if (access === null) return nothingKept(output, flags.json);
    try {
      const thread = await access.findThread(wanted);
      const isDryRun = flags["dry-run"];
      const paths = flags.path.length === 0 ? {} : { paths: [...flags.path] };
      const result = await access.restore(thread, { to_turn_id: to, dry_run: isDryRun, ...paths });
      output.write(flags.json ? `${JSON.stringify(result)}\n` : formatRestore(result, isDryRun, output.layout));
      return result.conflicts.length === 0 ? exitCodes.ok : exitCodes.failed;
    } finally {
      await access.close();
    }
  },
});
