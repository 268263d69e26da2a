// BashOutput and KillShell: what a command in the background printed since the last look, and its end.
import { textContent } from "@signalbox/tool-calls";
import { z } from "zod";
import { bounded, exitWords } from "./shell-words.ts";
import type { ShellState, Shells } from "./shells.ts";
import { type ClientTool, defineTool } from "./tool.ts";

export function bashOutputTool(shells: Shells): ClientTool {
  return defineTool({
    name: "BashOutput",
    description: "Tells what a command in the background has printed since the last call, and whether it still runs.",
    isReadOnly: true,
    input: { bash_id: z.string().describe("The id that Bash gave, such as shell_1") },
    async run({ bash_id }, { show }) {
      const state = await shells.look(bash_id);
      const { text, hasGap } = state.reader.next(state.printed);
      const told = bounded(`${hasGap ? "[Some output was dropped here.]\n" : ""}${text}`);
      show({ content: [textContent(told === "" ? "(nothing new)" : told)] });
      return `${bash_id} ${statusWords(state)}${told === "" ? " It printed nothing new." : ` New output:\n${told}`}`;
    },
  });
}

export function killShellTool(shells: Shells): ClientTool {
  return defineTool({
    name: "KillShell",
    description: "Ends a command that runs in the background.",
    input: { shell_id: z.string().describe("The id that Bash gave, such as shell_1") },
    async run({ shell_id }) {
      return (await shells.stop(shell_id)) ? `${shell_id} was ended.` : `${shell_id} had ended already.`;
    },
  });
}

function statusWords({ status, exit }: ShellState): string {
  switch (status) {
    case "running":
      return "still runs.";
    case "stopped":
      return "was ended by KillShell.";
    case "exited":
      return exit === null ? "is over." : `is over. ${exitWords(exit)}`;
  }
}
