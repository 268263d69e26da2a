// Implements Bash, BashOutput and KillShell: commands in terminals of the client, awaited or in the background.
import {
  type ClientTerminals,
  explainEnd,
  hasSucceeded,
  type JobReport,
  Jobs,
  jobStatus,
  type KeepOutput,
  plainOutput,
  shortenOutput,
  ToolFailure,
  terminalCommands,
} from "@signalbox/agent-kit";
import { type Escalation, terminalContent, textContent } from "@signalbox/tool-calls";
import { z } from "zod";
import { type ClientTool, defineTool } from "./tool.ts";

const escalation = "If the task needs this, call Bash again with escalate and a reason.";

/** The commands of a session. */
export interface Shell {
  readonly cwd: string;
  /** The client lets a command ask for more than its sandbox gives. */
  readonly escalates: boolean;
  readonly jobs: Jobs;
  /** Keeps an output that is too long for the model. */
  readonly keep: KeepOutput;
}

export function openShell(terminals: ClientTerminals, options: Omit<Shell, "jobs">): Shell {
  const start = terminalCommands(terminals);
  return { ...options, jobs: new Jobs({ start, idPrefix: "shell", stopTool: "KillShell" }) };
}

const defaultTimeoutMs = 120_000;
const maxTimeoutMs = 600_000;
const maxCharacters = 30_000;
/** Claude Code cuts the result of a failed call at 10,000 characters, without a note. */
const maxFailureCharacters = 9000;

const description = `Runs a command in a shell, in a terminal that the person sees.

- Each command starts in the session's folder and in a shell of its own: \`cd\` and variables do not outlast it. Use absolute paths, or \`cd folder && command\`.
- After timeout milliseconds (${defaultTimeoutMs} unless given, at most ${maxTimeoutMs}) it goes on in the background, and you get its id and what it printed so far.
- A failure begins with the exit code. Of a long output you get both ends, and the path of a file with all of it.
- With run_in_background it keeps running (a server, a watcher) and the answer comes immediately; BashOutput gives what it printed, KillShell ends it.
- Nothing can be typed into it: no interactive programs, no pagers.
- To read, write, change and search files, use the tools for that.`;

const aboutEscalation = `
- It runs in a sandbox of the client. If that denies what the task needs (the network, another folder, the user's ssh or gpg keys), call again with escalate and a reason: the person decides.`;

const escalate = z
  .object({
    reason: z.string().min(1).max(1000).describe("Why it cannot be done inside, for the person who decides"),
    to: z
      .enum(["outside", "network", "write"])
      .describe("outside: no sandbox. network: the sandbox, with the network. write: the sandbox, and one more folder"),
    folder: z.string().min(1).optional().describe("For write: that folder, absolute"),
  })
  .optional()
  .describe("Ask to run it with more rights");

export function bashTool({ cwd, jobs, keep, escalates }: Shell): ClientTool {
  const tool = defineTool({
    name: "Bash",
    description: escalates ? description + aboutEscalation : description,
    input: {
      command: z.string().min(1).describe("The command line"),
      timeout: z
        .number()
        .min(1)
        .max(maxTimeoutMs)
        .optional()
        .describe("Milliseconds until it goes on in the background"),
      description: z.string().optional().describe("What it does, in five to ten words"),
      run_in_background: z.boolean().optional().describe("Do not wait for its end"),
      escalate,
    },
    async run(call, { signal, show }) {
      const { command, timeout: timeoutMs = defaultTimeoutMs, run_in_background = false } = call;
      // The client's terminals have the network that the client gives them.
      const wanted = escalates ? call.escalate : undefined;
      const request = {
        command,
        cwd,
        network: true,
        ...(wanted !== undefined && { escalation: asEscalation(wanted) }),
      };
      if (run_in_background) {
        const { id, terminalId } = await jobs.start(request, signal);
        if (terminalId !== undefined) show({ content: [terminalContent(terminalId)] });
        return `The command runs in the background as ${id}. Ask BashOutput for what it prints.`;
      }
      const stop = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
      const done = await jobs.run(request, stop, {
        onOutput: () => {},
        onTerminal: (terminalId) => show({ content: [terminalContent(terminalId)] }),
      });
      if ("job" in done) {
        const head = `It still runs, and goes on in the background as ${done.job.id}. Ask BashOutput for what it prints.`;
        return `${head}\n${await describeNewOutput(done.job, keep)}`;
      }
      const { end } = done;
      const { before, after } = explainEnd(end, {
        ...(escalates && { escalation }),
        network: escalates ? `The network is off for commands. ${escalation}` : "The network is off for commands.",
        runningJobs: jobs.running,
      });
      const output = plainOutput(`${dropped(end.isTruncated)}${end.output}`);
      const text = [...before, output, ...after].filter((part) => part !== "").join("\n");
      if (!hasSucceeded(end.ending)) throw new ToolFailure(await shortenOutput(text, maxFailureCharacters, keep));
      return (await shortenOutput(text, maxCharacters, keep)) || "Exit code 0, and nothing was printed.";
    },
  });
  const { escalate: _, ...usual } = tool.input;
  return escalates ? tool : { ...tool, input: usual };
}

export function bashOutputTool({ jobs, keep }: Shell): ClientTool {
  return defineTool({
    name: "BashOutput",
    description: "Gives what a command in the background has printed since the last call, and whether it still runs.",
    isReadOnly: true,
    input: { bash_id: z.string().describe("The id that Bash gave, such as shell_1") },
    async run({ bash_id }, { signal, show }) {
      const report = await jobs.read(bash_id, 0, signal);
      const output = await describeNewOutput(report, keep);
      show({ content: [textContent(output)] });
      return `${jobStatus(report)}\n${output}`;
    },
  });
}

export function killShellTool({ jobs }: Shell): ClientTool {
  return defineTool({
    name: "KillShell",
    description: "Ends a command that runs in the background.",
    input: { shell_id: z.string().describe("The id that Bash gave, such as shell_1") },
    async run({ shell_id }) {
      const { wasRunning } = await jobs.stop(shell_id);
      return wasRunning ? `${shell_id} was ended.` : `${shell_id} had ended already.`;
    },
  });
}

function asEscalation({ to, folder, reason }: NonNullable<z.infer<typeof escalate>>): Escalation {
  return folder === undefined ? { to, reason } : { to, folder, reason };
}

async function describeNewOutput({ text, hasGap }: JobReport, keep: KeepOutput): Promise<string> {
  const output = plainOutput(`${hasGap ? "[Some output before this was dropped.]\n" : ""}${text}`);
  return output === "" ? "(no new output)" : await shortenOutput(output, maxCharacters, keep);
}

function dropped(isTruncated: boolean): string {
  return isTruncated ? "[The beginning of the output was dropped.]\n" : "";
}
