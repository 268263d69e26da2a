// The `signalbox` program: finds the command, parses its flags, runs it, and prints an expected error as one sentence.
import { enableCompileCache } from "node:module";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import manifest from "../package.json" with { type: "json" };
import { parseArguments, suggest, UsageError } from "./arguments.ts";
import { exitCodes, type Program } from "./command.ts";
import { commands, defaultCommand } from "./commands/index.ts";
import { formatHelp, overview } from "./help.ts";

const { SIGNALBOX_SHARED_URL: url, SIGNALBOX_SHARED_KEY: key } = process.env;
// Before anything is started that could inherit them.
for (const name of ["SIGNALBOX_SHARED_URL", "SIGNALBOX_SHARED_KEY"]) delete process.env[name];
const program: Program = { entry: fileURLToPath(import.meta.url), version: manifest.version, shared: { url, key } };
/** By name: their classes are in packages that most commands do not load. */
const expectedErrors: ReadonlySet<string> = new Set(["StartError", "HostError", "RegisterError"]);

// Node keeps compiled code next to the program, so that the next start is faster. A new build removes it. If the folder cannot be written,
// nothing is kept.
enableCompileCache(join(import.meta.dirname, "../dist/compiled"));

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  process.exitCode = explain(error);
}

async function main(line: readonly string[]): Promise<number> {
  const [first] = line;
  const named = first !== undefined && !first.startsWith("-");
  const name = named ? first : defaultCommand;
  const rest = named ? line.slice(1) : line;
  // Everything after `--` belongs to another command or is literal text.
  const dashes = rest.indexOf("--");
  const own = dashes < 0 ? rest : rest.slice(0, dashes);
  if (own.includes("--version")) return print(`signalbox ${program.version}`);
  if (own.includes("--help") && !named) return print(overview());
  const entry = Object.hasOwn(commands, name) ? commands[name] : undefined;
  if (entry === undefined) {
    throw new UsageError(
      `There is no command ${name}.${suggest(name, Object.keys(commands))} \`signalbox --help\` lists them.`,
    );
  }
  const command = await entry.load();
  const lacksAction = rest.length === 0 && command.words?.isAction === true;
  if (lacksAction || own.includes("--help")) return print(formatHelp(command));
  const { flags, words } = parseArguments(rest, command);
  return await command.run(flags, program, words);
}

function print(text: string): number {
  console.log(text);
  return exitCodes.ok;
}

/** Prints an expected error as one sentence, and a bug with its stack. Gives the exit code. */
function explain(error: unknown): number {
  const isUsage = error instanceof UsageError;
  const isExpected = isUsage || (error instanceof Error && expectedErrors.has(error.name));
  console.error(isExpected ? error.message : error);
  if (isUsage) return exitCodes.badUsage;
  return isExpected && isAboutUse(error) ? exitCodes.inUse : exitCodes.failed;
}

/** Whether the register is in use by another process, also where that is the cause of the error. */
function isAboutUse(error: Error): boolean {
  return [error, error.cause].some((each) => each instanceof Error && "code" in each && each.code === "in_use");
}
