// Runs commands of the built program one after another in one process, where its modules are loaded only once: most of what a short command costs
// is its start. Each command line comes as a message with what is on stdin, and is answered with its exit code and what it printed.
import { Console } from "node:console";
import { Readable, Writable } from "node:stream";
import type { Ended } from "./host-process.ts";

const [, , program = ""] = process.argv;
let commands = 0;

/** Takes the place of a stream of the process. */
class Collected extends Writable {
  text = "";

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString("utf8");
    done();
  }
}

const replace = (name: "stdin" | "stdout" | "stderr", value: unknown) =>
  Object.defineProperty(process, name, { value, configurable: true });

/** A command line, and what is on its stdin. */
export interface WarmCommand {
  readonly args: readonly string[];
  readonly stdin: string;
}

async function run({ args, stdin }: WarmCommand): Promise<Ended> {
  const stdout = new Collected();
  const stderr = new Collected();
  replace("stdin", Readable.from(stdin === "" ? [] : [Buffer.from(stdin)]));
  replace("stdout", stdout);
  replace("stderr", stderr);
  globalThis.console = new Console(stdout, stderr);
  process.argv = [process.execPath, program, ...args];
  process.exitCode = 0;
  // Another address is another module: it runs again. What it imports stays loaded.
  commands++;
  await import(`${program}?${commands}`);
  return { code: process.exitCode, stdout: stdout.text, stderr: stderr.text };
}

process.on("message", (command: WarmCommand) => {
  run(command).then(
    (ended) => process.send?.(ended),
    (error: unknown) => process.send?.({ code: null, stdout: "", stderr: String(error) }),
  );
});
