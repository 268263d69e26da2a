// Reads what is piped into a command. Beside words on the command line it is not awaited for ever: many programs start others with a stdin
// that they never close.
import { once } from "node:events";
import { setTimeout as pause } from "node:timers/promises";

const firstByteMs = 3000;

/** `isOptional`: there is a prompt without it. */
export async function readStdin(isOptional: boolean): Promise<string> {
  const { stdin } = process;
  const pieces: Buffer[] = [];
  stdin.on("data", (piece: Buffer) => pieces.push(piece));
  const ended = once(stdin, "end").catch(() => {}); // What cannot be read has ended.
  if (isOptional) {
    const begun = Promise.race([new Promise((resolve) => stdin.once("data", resolve)), ended]).then(() => true);
    if (!(await Promise.race([begun, pause(firstByteMs, false, { ref: false })]))) {
      stdin.destroy();
      process.stderr.write(
        `Nothing came on stdin within ${firstByteMs / 1000} seconds, so only the words are sent. For a slow program: signalbox run "words $(program)".\n`,
      );
      return "";
    }
  }
  await ended;
  return Buffer.concat(pieces).toString("utf8");
}
