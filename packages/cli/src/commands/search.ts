// `signalbox search` searches the full text of every thread.
import { resolve } from "node:path";
import { formatHits } from "@signalbox/reports";
import { UsageError } from "../arguments.ts";
import { command, exitCodes, jsonFlag, registerFlags } from "../command.ts";
import { nothingKept } from "../nothing-kept.ts";
import { Output } from "../output.ts";
import { findThread, openForReading } from "../register/open-for-reading.ts";

const defaultLimit = 20;
const dayMilliseconds = 86_400_000;

export const search = command({
  usage: "signalbox search TEXT… [flags]",
  about:
    'Finds messages, tool calls and command output that contain all the words. Put an "exact phrase" in quotes. The best and newest matches come first.',
  words: { name: "TEXT", min: 1, max: 100 },
  flags: {
    agent: { type: "string", value: "ID", help: "only threads of this agent" },
    cwd: { type: "string", value: "DIR", help: "only threads in this folder" },
    thread: { type: "string", value: "THREAD", help: "only this thread (an id, the beginning of an id, or last)" },
    kind: {
      type: "string",
      value: "KIND",
      help: "only this kind: message, reason, terminal, or a tool's kind such as edit",
    },
    days: { type: "number", value: "N", min: 1, max: 36_500, help: "only the last N days" },
    limit: {
      type: "number",
      value: "N",
      min: 1,
      max: 1000,
      help: `maximum number of results (default ${defaultLimit})`,
    },
    ...jsonFlag("one result per line; in `snippet` each match is between U+E000 and U+E001"),
    ...registerFlags,
  },
  examples: [
    ["signalbox search flaky test", "both words"],
    ["signalbox search '\"connection refused\"' --kind execute --days 7", "a phrase in last week's commands"],
  ],
  async run(flags, _program, { given }) {
    const text = given.join(" ");
    if (text.trim() === "") throw new UsageError("TEXT is empty: write the words to search for.");
    const output = new Output();
    const register = await openForReading(flags["data-dir"]);
    if (register === null) return nothingKept(output, flags.json);
    try {
      const { rows: hits } = await register.query("search", {
        text,
        limit: flags.limit ?? defaultLimit,
        ...(flags.agent === undefined ? {} : { agent_id: flags.agent }),
        ...(flags.cwd === undefined ? {} : { cwd: resolve(flags.cwd) }),
        ...(flags.thread === undefined ? {} : { thread_id: (await findThread(register, flags.thread)).id }),
        ...(flags.kind === undefined ? {} : { kind: flags.kind }),
        ...(flags.days === undefined ? {} : { since: Date.now() - flags.days * dayMilliseconds }),
      });
      if (flags.json) await output.all(hits.map((hit) => `${JSON.stringify(hit)}\n`));
      else if (hits.length === 0) output.line(`No matches for ${text}.`);
      else output.write(formatHits(hits, output.layout));
      return exitCodes.ok;
    } finally {
      await register.close();
    }
  },
});
