// Bash: a command in a terminal of the client, waited for or in the background.
import { z } from "zod";
import { exitWords, isFailure, printedWords } from "./shell-words.ts";
import type { Shells } from "./shells.ts";
import { type ClientTool, defineTool, ToolFailure } from "./tool.ts";

const defaultTimeoutMs = 120_000;
const longestTimeoutMs = 600_000;

const description = `Runs a command in a shell, in a terminal that the person sees.

- Each command starts in the session's folder and in a shell of its own: \`cd\` and variables do not outlast it. Use absolute paths, or \`cd folder && command\`.
- It is ended after timeout milliseconds: ${defaultTimeoutMs} unless given, at most ${longestTimeoutMs}.
- With run_in_background it keeps running (a server, a watcher) and the answer comes at once; BashOutput tells what it printed, KillShell ends it.
- Nobody can type into it: no interactive programs, no pagers.
- To read, write, change and search files, use the tools for that.`;

export function bashTool(shells: Shells): ClientTool {
  return defineTool({
    name: "Bash",
    description,
    input: {
      command: z.string().min(1).describe("The command line"),
      timeout: z.number().min(1).max(longestTimeoutMs).optional().describe("Milliseconds until it is ended"),
      description: z.string().optional().describe("What it does, in five to ten words"),
      run_in_background: z.boolean().optional().describe("Do not wait for its end"),
    },
    async run({ command, timeout = defaultTimeoutMs, run_in_background = false }, call) {
      if (run_in_background) {
        const id = await shells.start(command, call);
        return `The command runs in the background as ${id}. Ask BashOutput for what it prints.`;
      }
      const end = await shells.run(command, timeout, call);
      const printed = printedWords(end.printed);
      switch (end.type) {
        case "exit": {
          if (isFailure(end.exit)) throw new ToolFailure(joined(printed, exitWords(end.exit)));
          return printed === "" ? "It exited with code 0 and printed nothing." : printed;
        }
        case "timeout":
          throw new ToolFailure(joined(printed, `It was ended because it took longer than ${timeout / 1000} s.`));
        case "cancelled":
          throw new ToolFailure(joined(printed, "It was ended because the person cancelled."));
      }
    },
  });
}

function joined(printed: string, ending: string): string {
  return printed === "" ? ending : `${printed.replace(/\n?$/, "\n")}[${ending}]`;
}
