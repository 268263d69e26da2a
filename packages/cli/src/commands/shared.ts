// `signalbox shared init` prepares the database that machines share: its tables, and a role with few rights.
import { initSharedDatabase } from "@signalbox/host";
import { UsageError } from "../arguments.ts";
import { command, exitCodes, registerFlags } from "../command.ts";

export const shared = command({
  usage: "signalbox shared init [flags]",
  about:
    "Prepares the PostgreSQL database that machines share. The address is SIGNALBOX_SHARED_URL or shared.url of config.json, of a role that may create tables (and roles, with --role). Can be run again at any time.",
  words: { name: "init", min: 1, max: 1, isAction: true },
  flags: {
    role: { type: "string", value: "ROLE", help: "a role that hosts connect as; created where it is missing" },
    machine: {
      type: "list",
      value: "NAME",
      help: "the role sees this machine besides its own; may be given several times",
    },
    folder: {
      type: "list",
      value: "DIR",
      help: "the role sees threads in this folder, of all machines; may be given several times",
    },
    ...registerFlags,
  },
  examples: [
    ["signalbox shared init --role laptop", "a role that writes for its own machines and sees all"],
    ["signalbox shared init --role guest --folder /work/open", "one that sees only threads in a folder"],
  ],
  async run(flags, program, { given: [action] }) {
    if (action !== "init")
      throw new UsageError(`There is no \`signalbox shared ${action ?? ""}\`. There is \`signalbox shared init\`.`);
    if (flags.role === undefined && flags.machine.length + flags.folder.length > 0)
      throw new UsageError("--machine and --folder say what a role sees: give --role too.");
    const { role, machine: machines, folder: folders } = flags;
    const lines = await initSharedDatabase(flags["data-dir"], program.shared, { role, machines, folders });
    for (const line of lines) console.log(line);
    return exitCodes.ok;
  },
});
