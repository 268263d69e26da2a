// `signalbox import` brings the sessions of another tool into the register.
import { UsageError } from "../arguments.ts";
import { command, exitCodes, jsonFlag, registerFlags } from "../command.ts";
import { openHost } from "../host/open-host.ts";
import { Output } from "../output.ts";
import { Progress } from "../progress.ts";

const sources = { claude: "Claude Code", codex: "Codex" } as const;

export const importCommand = command({
  usage: "signalbox import claude|codex [flags]",
  about:
    "Imports the sessions of Claude Code or Codex from your home folder as threads. Their files are not changed. A second import adds only what is new.",
  words: { name: "SOURCE", min: 1, max: 1, isAction: true },
  flags: { ...jsonFlag("one object {imported, continued, unchanged, skipped, failed}"), ...registerFlags },
  examples: [["signalbox import claude", "all sessions of Claude Code"]],
  async run(flags, program, { given: [source = ""] }) {
    if (source !== "claude" && source !== "codex")
      throw new UsageError(`"${source}" cannot be imported. SOURCE is one of claude, codex.`);
    using progress = new Progress(`Importing from ${sources[source]} …`);
    const { connection, close } = await openHost(flags["data-dir"], program);
    connection.onMessage((message) => {
      if (message.type === "host.progress" && message.task === "import" && !message.finished)
        progress.show(message.message);
    });
    try {
      const result = await connection.request("import.start", { source });
      progress[Symbol.dispose]();
      const { imported, continued, unchanged, failed } = result;
      new Output().line(
        flags.json
          ? JSON.stringify(result)
          : `${sources[source]}: ${imported} imported, ${continued} continued, ${unchanged} unchanged, ${failed.length} failed.`,
      );
      for (const { file, reason } of failed) console.error(`${file}: ${reason}`);
      return failed.length > 0 ? exitCodes.failed : exitCodes.ok;
    } finally {
      await close();
    }
  },
});
