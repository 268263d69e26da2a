// `signalbox shared` prepares the database that machines share: its tables, and a role with few rights. It also removes what a machine that is gone has shared.
import { initSharedDatabase, removeSharedMachine } from "@signalbox/host";
import { formatCount } from "@signalbox/reports";
import { UsageError } from "../arguments.ts";
import { command, exitCodes, registerFlags } from "../command.ts";
import { whileShowing } from "../progress.ts";

export const shared = command({
  usage: "signalbox shared init|remove [flags]",
  about:
    "Prepares the PostgreSQL database that machines share, or removes from it what a machine that is no longer used has shared. The address is SIGNALBOX_SHARED_URL or shared.url of config.json, of a role that may create tables (and roles, with --role). Both can be run again at any time.",
  words: { name: "init|remove", min: 1, max: 1, isAction: true },
  flags: {
    role: { type: "string", value: "ROLE", help: "init: a role that hosts connect as; created where it is missing" },
    machine: {
      type: "list",
      value: "NAME",
      help: "init: the role sees this machine besides its own. remove: the machine to remove",
    },
    folder: {
      type: "list",
      value: "DIR",
      help: "init: the role sees threads in this folder, of all machines",
    },
    days: {
      type: "number",
      value: "N",
      min: 0,
      max: 36_500,
      help: "remove: only threads without activity for N days",
    },
    ...registerFlags,
  },
  examples: [
    ["signalbox shared init --role laptop", "a role that writes for its own machines and sees all"],
    ["signalbox shared init --role guest --folder /work/open", "one that sees only threads in a folder"],
    ["signalbox shared remove --machine old-laptop", "remove what this machine has shared"],
  ],
  async run(flags, program, { given: [action] }) {
    const { role, machine: machines, folder: folders, days } = flags;
    if (action === "remove") {
      const [machine, ...others] = machines;
      if (machine === undefined || others.length > 0 || role !== undefined || folders.length > 0)
        throw new UsageError("`signalbox shared remove` takes one --machine, and --days.");
      const removed = await whileShowing("Removing …", () =>
        removeSharedMachine(flags["data-dir"], program.shared, { machine, days }),
      );
      console.log(`Removed ${formatCount(removed, "thread")} of ${machine} from the shared database.`);
      return exitCodes.ok;
    }
    if (action !== "init")
      throw new UsageError(`There is no \`signalbox shared ${action ?? ""}\`. There are \`init\` and \`remove\`.`);
    if (role === undefined && machines.length + folders.length > 0)
      throw new UsageError("--machine and --folder say what a role sees: give --role too.");
    if (days !== undefined) throw new UsageError("--days is for `signalbox shared remove`.");
    const lines = await initSharedDatabase(flags["data-dir"], program.shared, { role, machines, folders });
    for (const line of lines) console.log(line);
    return exitCodes.ok;
  },
});
