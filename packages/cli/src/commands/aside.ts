// `signalbox aside` lists settings that commands made and that were put aside, shows them, and keeps or drops them.
import { join, resolve } from "node:path";
import { defaultDataFolder } from "@signalbox/host/data";
import { type AsideRecord, AsideStore } from "@signalbox/sandbox";
import { UsageError } from "../arguments.ts";
import { command, exitCodes, jsonFlag, registerFlags } from "../command.ts";
import { Output } from "../output.ts";

export const aside = command({
  usage: "signalbox aside [ID] [flags]",
  about: [
    "Lists settings that sandboxed commands made and that programs outside would obey, such as .vscode/tasks.json. They were put aside when the command ended.",
    "With ID, or the beginning of one, it shows the content. Look at it before you keep it: your editor, shell or agent will obey it.",
  ].join("\n"),
  words: { name: "ID", min: 0, max: 1 },
  flags: {
    keep: { type: "boolean", help: "put it back where it was made" },
    drop: { type: "boolean", help: "remove it" },
    ...jsonFlag("one record per line"),
    ...registerFlags,
  },
  examples: [
    ["signalbox aside", "all that were put aside"],
    ["signalbox aside 3f2c --keep", "put one back"],
  ],
  async run(flags, _program, { given: [wanted] }) {
    const output = new Output();
    const store = new AsideStore(resolve(flags["data-dir"] ?? defaultDataFolder()));
    if (wanted === undefined) {
      if (flags.keep || flags.drop) throw new UsageError("Say which one: signalbox aside ID --keep.");
      return listAll(store.list(), output, flags.json);
    }
    const record = findRecord(store.list(), wanted);
    if (flags.keep) return keep(store, record, output);
    if (flags.drop) {
      store.drop(record.id);
      output.line(`Dropped ${join(record.folder, record.path)}.`);
      return exitCodes.ok;
    }
    if (flags.json) output.line(JSON.stringify(record));
    else show(store, record, output);
    return exitCodes.ok;
  },
});

function listAll(records: readonly AsideRecord[], output: Output, json: boolean): number {
  for (const record of records)
    output.line(json ? JSON.stringify(record) : `${record.id.slice(0, 8)}  ${join(record.folder, record.path)}`);
  if (records.length === 0 && !json) output.line("Nothing was put aside.");
  return exitCodes.ok;
}

function keep(store: AsideStore, { id, digest, folder, path }: AsideRecord, output: Output): number {
  const result = store.keep(id, digest);
  output.line(result.type === "refused" ? result.reason : `Kept ${join(folder, path)}.`);
  return result.type === "refused" ? exitCodes.failed : exitCodes.ok;
}

function show(store: AsideStore, record: AsideRecord, output: Output): void {
  const contents = store.readContents(record);
  record.entries.forEach((entry, index) => {
    output.line(join(record.folder, record.path, Buffer.from(entry.path, "latin1").toString()));
    output.line(entry.type === "link" ? `a link to ${entry.target}` : (contents[index]?.toString() ?? ""));
  });
}

function findRecord(records: readonly AsideRecord[], wanted: string): AsideRecord {
  const found = records.filter(({ id }) => id.startsWith(wanted));
  const [record] = found;
  if (record === undefined || found.length > 1)
    throw new UsageError(
      found.length > 1 ? `Several ids begin with ${wanted}.` : `Nothing that was put aside has the id ${wanted}.`,
    );
  return record;
}
