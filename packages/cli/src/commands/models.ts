// `signalbox models` lists what is known of models, with the date of the list. `--refresh` gets the newest one.
import { listModels } from "@signalbox/host";
import { formatModels } from "@signalbox/reports";
import { command, exitCodes, jsonFlag, registerFlags } from "../command.ts";
import { Output } from "../output.ts";
import { Progress } from "../progress.ts";

export const models = command({
  usage: "signalbox models [TEXT] [flags]",
  about:
    "Lists the models that Signalbox's own agent knows: tokens that fit into a request and into an answer, US dollars per million tokens, and levels of thinking. TEXT keeps those whose name has it. Other models work too.",
  words: { name: "TEXT", min: 0, max: 1 },
  flags: {
    refresh: { type: "boolean", help: "first get the newest list from models.dev ($SIGNALBOX_MODELS_URL)" },
    ...jsonFlag("one model per line"),
    ...registerFlags,
  },
  examples: [
    ["signalbox models claude", "models with claude in their name"],
    ["signalbox models --refresh", "get the newest list, with the prices of today"],
  ],
  async run(flags, _program, { given: [text = ""] }) {
    const output = new Output();
    const list = await fetchedList(flags["data-dir"], flags.refresh);
    const part = text.toLowerCase();
    const wanted = list.models.filter(({ provider, model }) => `${provider}:${model}`.toLowerCase().includes(part));
    if (flags.json) {
      await output.all(wanted.map((row) => `${JSON.stringify(row)}\n`));
      return exitCodes.ok;
    }
    if (wanted.length > 0) output.write(formatModels(wanted, output.layout));
    const { asOf, fetchedFrom = "comes with Signalbox; --refresh gets the newest" } = list;
    const counted = wanted.length === 0 ? "No matches. " : "Dollars per million tokens; ? is not known. ";
    output.write(`${counted}The list is of ${asOf} (${fetchedFrom}).\n`);
    return exitCodes.ok;
  },
});

async function fetchedList(dataFolder: string | undefined, refresh: boolean) {
  using progress = new Progress("Getting the list of models …");
  const list = await listModels(dataFolder, { refresh });
  progress[Symbol.dispose]();
  return list;
}
