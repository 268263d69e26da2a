// `signalbox threads` lists the threads, the most recently active first.
import { resolve } from "node:path";
import { formatThreads } from "@signalbox/reports";
import { command, exitCodes, jsonFlag, registerFlags } from "../command.ts";
import { nothingKept } from "../nothing-kept.ts";
import { Output } from "../output.ts";
import { openForReading } from "../register/open-for-reading.ts";

const defaultLimit = 50;

export const threads = command({
  usage: "signalbox threads [flags]",
  about: "Lists threads, the most recently active first. Also works while Signalbox is running.",
  flags: {
    agent: { type: "string", value: "ID", help: "only threads of this agent" },
    cwd: { type: "string", value: "DIR", help: "only threads in this folder" },
    status: {
      type: "string",
      value: "STATUS",
      choices: ["idle", "running", "waiting", "interrupted", "failed", "closed"],
      help: "only threads with this status",
    },
    archived: { type: "boolean", help: "only archived threads" },
    limit: {
      type: "number",
      value: "N",
      min: 1,
      max: 1000,
      help: `maximum number of threads (default ${defaultLimit})`,
    },
    ...jsonFlag("one thread per line"),
    ...registerFlags,
  },
  examples: [
    ["signalbox threads", "the last 50 threads"],
    ["signalbox threads --status failed --json | jq -r .id", "the ids of failed threads"],
  ],
  async run(flags) {
    const output = new Output();
    const register = await openForReading(flags["data-dir"]);
    if (register === null) return nothingKept(output, flags.json);
    try {
      const { rows: found, next_cursor } = await register.query("threads.list", {
        limit: flags.limit ?? defaultLimit,
        archived: flags.archived,
        ...(flags.agent === undefined ? {} : { agent_id: flags.agent }),
        ...(flags.cwd === undefined ? {} : { cwd: resolve(flags.cwd) }),
        ...(flags.status === undefined ? {} : { status: flags.status }),
      });
      if (flags.json) await output.all(found.map((row) => `${JSON.stringify(row)}\n`));
      else if (found.length > 0) output.write(formatThreads(found, output.layout));
      else if (isFiltered(flags)) output.line("No matching threads.");
      else return nothingKept(output, false);
      if (next_cursor !== undefined && output.layout.isTerminal && !flags.json) {
        output.line(output.layout.paint.dim("More threads exist: use --limit N."));
      }
      return exitCodes.ok;
    } finally {
      await register.close();
    }
  },
});

function isFiltered(flags: { readonly agent?: unknown; cwd?: unknown; status?: unknown; archived: boolean }): boolean {
  return flags.agent !== undefined || flags.cwd !== undefined || flags.status !== undefined || flags.archived;
}
