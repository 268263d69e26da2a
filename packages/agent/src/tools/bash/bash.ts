// The `bash` tool: a shell command in the sandbox, awaited or in the background.
import type { ToolCallContent } from "@agentclientprotocol/sdk";
import { createToolTitle, textContent } from "@signalbox/tool-calls";
import { z } from "zod";
import type { CommandEnd } from "../commands/command.ts";
import { outcomeWords } from "../commands/command.ts";
import { said, type ToolContext, type ToolResult, tool } from "../tool.ts";
import { ToolFailure } from "../tool-failure.ts";
import { LiveOutput } from "./live-output.ts";

const description = `Runs a command with bash in the session's folder and returns what it prints (stdout and stderr together) and its exit code if that is not 0. Each call is a new shell: a changed folder or variable does not last.

The command runs in a sandbox. It can read nearly everything but write only in the session's folders and the temp folder. It has no network unless you set \`network\`, for which the person is asked: set it only when the command needs it (installing packages, git push).

A call ends after 120 seconds, and the answer is cut at 30,000 characters, so send long output through tail, head or a file. For a server, a watcher or anything long, set \`background\`: the answer is a job id at once; look at it with bash_output and end it with bash_kill. Background jobs end with the session.

Prefer read, edit, write, grep, find_path and list_directory to cat, sed, echo, grep, find and ls. Quote paths with spaces. Nothing can be typed into a running command, so use options such as --yes.`;

const input = z.object({
  command: z.string().min(1).describe("The command line"),
  cwd: z.string().min(1).optional().describe("The folder to run it in; the session's folder when left out"),
  network: z.boolean().optional().describe("Ask for the network"),
  background: z.boolean().optional().describe("Start it and return a job id at once"),
});

type Input = z.infer<typeof input>;

export const bashTool = tool<Input>({
  name: "bash",
  kind: "execute",
  description,
  input,
  readOnly: false,
  outputLimit: 30_000,
  describe: ({ command, cwd: folder }, cwd) => ({
    title: createToolTitle("bash", { command }, cwd),
    ...(folder === undefined ? {} : { locations: [{ path: folder.startsWith("/") ? folder : `${cwd}/${folder}` }] }),
  }),
  async execute(call, context) {
    const { workspace } = context;
    const cwd = workspace.files.absolute(call.cwd ?? ".");
    const network = await networkFor(call, context);
    if (call.background === true) {
      const id = workspace.jobs.start({ command: call.command, cwd, network });
      return said(`Started as ${id}. Look at it with bash_output, end it with bash_kill.`);
    }
    return await runNow(call.command, cwd, network, context);
  },
});

async function runNow(command: string, cwd: string, network: boolean, context: ToolContext): Promise<ToolResult> {
  const { workspace, signal, show } = context;
  const terminals: ToolCallContent[] = [];
  using live = new LiveOutput(show);
  const end = await workspace.run({
    command,
    cwd,
    network,
    signal,
    onOutput: (text) => live.add(text),
    onTerminal: (content) => {
      terminals.push(content);
      show([content]);
    },
  });
  return resultOf(end, terminals, signal);
}

/** The network is a permission of its own. */
async function networkFor({ command, network }: Input, { workspace, ask }: ToolContext): Promise<boolean> {
  if (workspace.network || !workspace.sandboxed) return true;
  if (network !== true) return false;
  const decision = await ask({
    tool: "bash_network",
    kind: "fetch",
    title: `Use the network: ${createToolTitle("bash", { command })}`,
    // Not under the name `command`: a rule that lets a command run says nothing about the network.
    args: { network, run: command },
  });
  if (!decision.allowed)
    throw new ToolFailure(`The command was not run: it may not use the network. ${decision.message}`);
  return true;
}

function resultOf(end: CommandEnd, terminals: readonly ToolCallContent[], signal: AbortSignal): ToolResult {
  const timeUp =
    end.outcome.type === "aborted" && (signal.reason as { name?: unknown } | undefined)?.name === "TimeoutError";
  // What went wrong stands first: the end of a long output is cut.
  const head = [
    timeUp ? "Stopped: its time was up. Run it with background: true if it needs longer." : outcomeWords(end.outcome),
    ...end.denied.map((line) => `The sandbox refused: ${line}`),
    end.networkDenied
      ? "The network is off for commands. If this one needs it, call bash again with network: true."
      : "",
  ].filter((line) => line !== "");
  const text = [...head, end.output].filter((part) => part !== "").join("\n");
  return {
    content: [{ type: "text", text: text === "" ? "Done, without output." : text }],
    ...(end.outcome.type === "exit" && end.outcome.code === 0 ? {} : { isError: true }),
    display: terminals.length > 0 ? terminals : [textContent(text === "" ? "(no output)" : text)],
    rawOutput: end.outcome.type === "exit" ? { exit_code: end.outcome.code } : { ended: end.outcome.type },
  };
}
