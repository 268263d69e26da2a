// `signalbox export` writes a thread to stdout as Markdown, JSON or HTML.

import { exportFormats, exportThread } from "@signalbox/reports";
import { UsageError } from "../arguments.ts";
import { command, exitCodes, registerFlags } from "../command.ts";
import { nothingKept } from "../nothing-kept.ts";
import { Output } from "../output.ts";
import { findThread, openForReading } from "../register/open-for-reading.ts";

export const exportCommand = command({
  usage: "signalbox export THREAD [--format md|json|html] [flags]",
  about:
    "Writes a thread to stdout as Markdown, JSON or a single HTML page, with every text in full. THREAD is an id, the beginning of an id, or `last`.",
  words: { name: "THREAD", min: 1, max: 1 },
  flags: {
    format: { type: "string", value: "FORMAT", choices: exportFormats, help: "md, json or html (default md)" },
    json: { type: "boolean", help: "same as --format json" },
    ...registerFlags,
  },
  examples: [
    ["signalbox export last > thread.md", "the latest thread, as Markdown"],
    ["signalbox export t1k2m --format html > thread.html", "a self-contained web page"],
  ],
  async run(flags, _program, { given: [wanted = ""] }) {
    if (flags.json && flags.format !== undefined && flags.format !== "json") {
      throw new UsageError(`--json and --format ${flags.format} cannot be combined.`);
    }
    const output = new Output();
    const register = await openForReading(flags["data-dir"]);
    if (register === null) return nothingKept(output, flags.json);
    try {
      const thread = await findThread(register, wanted);
      const format = flags.json ? "json" : (exportFormats.find((name) => name === flags.format) ?? "md");
      await output.all(exportThread(register, thread, format));
      return exitCodes.ok;
    } finally {
      await register.close();
    }
  },
});
