// Reads the lines that the helper reports: that another program changed git's settings, and, as the last one, how the program ended.
import type { Readable } from "node:stream";

export function readReports(control: Readable, onChanged: () => void, onEnd: (line: string) => void): void {
  let rest = "";
  control.setEncoding("utf8").on("data", (text: string) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line === "changed") onChanged();
      else onEnd(line);
    }
  });
}
