// The `signalbox` command: picks the command, gives it its flags, and turns failures into one sentence and an exit code.
import { fileURLToPath } from "node:url";
import manifest from "../package.json" with { type: "json" };
import { parseFlags, suggest, UsageError } from "./arguments.ts";
import { exitCodes, type Program } from "./command.ts";
import { commands, defaultCommand } from "./commands/index.ts";
import { helpFor, overview } from "./help.ts";

const program: Program = { entry: fileURLToPath(import.meta.url), version: manifest.version };

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.exitCode = explain(error);
}

async function main(words: readonly string[]): Promise<number> {
  const [first] = words;
  const named = first !== undefined && !first.startsWith("-");
  const name = named ? first : defaultCommand;
  const rest = named ? words.slice(1) : words;
  if (rest.includes("--version")) return print(`signalbox ${program.version}`);
  if (rest.includes("--help") && !named) return print(overview());
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (entry === undefined) {
    throw new UsageError(
      `There is no command ${name}.${suggest(name, Object.keys(commands))} \`signalbox --help\` lists them.`,
    );
  }
  const command = await entry.load();
  if (rest.includes("--help")) return print(helpFor(command));
  return await command.run(parseFlags(rest, command.flags), program);
}

function print(text: string): number {
  console.log(text);
  return exitCodes.ok;
}

/** What a person can mend is one sentence; anything else is our fault and shows where. */
function explain(error: unknown): number {
  if (error instanceof UsageError) {
    console.error(error.message);
    return exitCodes.badUsage;
  }
  const expected = error instanceof Error && error.name === "StartError";
  console.error(expected ? error.message : error);
  return exitCodes.failed;
}
