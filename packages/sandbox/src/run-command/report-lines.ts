// Reads what the helper reports while a program runs: settings that were replaced from outside, and, as its last line, how the program ended.
import type { Readable } from "node:stream";

/** `text` is what programs outside wrote, and nothing inside can have touched. Undefined where that is not certain. */
export type OnReplaced = (path: string, text: string | undefined) => void;

export function readReports(control: Readable, onReplaced: OnReplaced, onEnd: (line: string) => void): void {
  let rest = ""; // each byte is a character: texts may hold anything
  const next = (): boolean => {
    const end = rest.indexOf("\n");
    if (end === -1) return false;
    const line = rest.slice(0, end);
    const [, size, path = ""] = /^replaced (\d+) (.*)$/.exec(line) ?? [];
    const textEnd = end + 1 + Number(size ?? 0);
    if (rest.length < textEnd) return false;
    const text = rest.slice(end + 1, textEnd);
    rest = rest.slice(textEnd);
    if (size !== undefined) onReplaced(decoded(path), text);
    else if (line.startsWith("doubtful ")) onReplaced(decoded(line.slice("doubtful ".length)), undefined);
    else onEnd(decoded(line));
    return true;
  };
  control.on("data", (data: Buffer) => {
    rest += data.toString("latin1");
    while (next()) continue;
  });
}

function decoded(bytes: string): string {
  return Buffer.from(bytes, "latin1").toString("utf8");
}
