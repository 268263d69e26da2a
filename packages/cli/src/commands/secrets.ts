// `signalbox secrets` lists what looks like a secret in the register, and takes it out.

import { formatCount, formatSecrets, type SecretRow } from "@signalbox/reports";
import { command, exitCodes, jsonFlag, registerFlags } from "../command.ts";
import { nothingKept } from "../nothing-kept.ts";
import { Output } from "../output.ts";
import { whileShowing } from "../progress.ts";
import { findThread, openForReading } from "../register/open-for-reading.ts";
import { findSecrets, redactSecrets } from "../register/secrets.ts";

export const secrets = command({
  usage: "signalbox secrets [THREAD] [--redact] [flags]",
  about:
    "Lists what looks like a secret in the register: keys, passwords, tokens. THREAD is an id, the beginning of an id, or `last`; without it, all threads of this machine. With --redact each is replaced by *** in every row, event, blob and index, and in the shared database. Agents keep files of their own, and checkpoints keep files as they were: neither is changed.",
  words: { name: "THREAD", min: 0, max: 1 },
  flags: {
    redact: { type: "boolean", help: "replace them; this cannot be undone" },
    ...jsonFlag("one secret per line; with --redact one object {redacted, threads}"),
    ...registerFlags,
  },
  examples: [
    ["signalbox secrets", "where secrets are, with their first letters"],
    ["signalbox secrets last --redact", "take them out of the latest thread"],
  ],
  async run(flags, _program, { given: [wanted] }) {
    const output = new Output();
    const register = await openForReading(flags["data-dir"]);
    if (register === null) return nothingKept(output, flags.json);
    try {
      const threadId = wanted === undefined ? undefined : (await findThread(register, wanted)).id;
      if (flags.redact) {
        await register.close();
        return await redact(flags["data-dir"], threadId, flags.json, output);
      }
      const found: SecretRow[] = [];
      for await (const rows of findSecrets(register, threadId)) {
        if (flags.json) await output.all(rows.map((row) => `${JSON.stringify(row)}\n`));
        else found.push(...rows);
      }
      if (flags.json) return exitCodes.ok;
      if (found.length > 0) output.write(formatSecrets(found, output.layout));
      output.line(
        found.length === 0
          ? "No secrets found."
          : `${formatCount(found.length, "secret")} found. \`signalbox secrets --redact\` takes them out.`,
      );
      return exitCodes.ok;
    } finally {
      await register.close();
    }
  },
});

async function redact(
  dataFolder: string | undefined,
  threadId: string | undefined,
  isJson: boolean,
  output: Output,
): Promise<number> {
  const { redacted, threads, isShared } = await whileShowing("Replacing …", () => redactSecrets(dataFolder, threadId));
  if (isJson) output.line(JSON.stringify({ redacted, threads }));
  else {
    output.line(`Replaced ${formatCount(redacted, "secret")} in ${formatCount(threads, "thread")}.`);
    if (redacted > 0) output.line("Replace them where they are used too: they may have been read before.");
  }
  // Where something reads stdout, it is told all the same.
  if (isShared)
    process.stderr.write("The shared database still has them. They are removed from it when Signalbox runs again.\n");
  return exitCodes.ok;
}
