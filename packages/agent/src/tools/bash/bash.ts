// Implements the `bash` tool: it runs a shell command, awaited or in the background.
import type { ToolCallContent } from "@agentclientprotocol/sdk";
import {
  type CommandEnd,
  explainEnd,
  hasSucceeded,
  isTimeUp,
  type JobReport,
  type Jobs,
  plainOutput,
  ToolFailure,
} from "@signalbox/agent-kit";
import { describeEscalation, describeRights, type Fields, networkTool } from "@signalbox/rules";
import { createToolTitle, type Escalation, terminalContent, textContent } from "@signalbox/tool-calls";
import { z } from "zod";
import { type OtherNames, wordsForThePerson } from "../other-names.ts";
import { type ToolContext, type ToolResult, textResult, tool } from "../tool.ts";
import { LiveOutput } from "./live-output.ts";

const description = `Runs a command with bash in the session's folder, in a new shell; returns its exit code if not 0, then its output.

Commands run in a sandbox: they read most files, write only in the session's folders and the temp folder, and have no network. Servers on 127.0.0.1 that you started need none. If the sandbox denies what the task needs (ssh keys, docker, another folder), call again with \`escalate\`: never on the first try, and never to get around something the user refused.

After \`timeout_s\` a command goes on as a background job; for a server set \`background\`. Of output over 30,000 characters you get both ends and a file with all of it. Nothing can be typed into a command: use --yes. Prefer the other tools to cat, sed, grep, find and ls.`;

const maxTimeoutSeconds = 600;

const input = z.object({
  command: z.string().min(1).describe("The command line"),
  cwd: z.string().min(1).optional().describe("The folder to run it in"),
  network: z.boolean().optional().describe("Only for the internet (npm install, git push); the user must approve"),
  timeout_s: z.number().min(1).max(maxTimeoutSeconds).optional().describe("Seconds; 120 if left out"),
  escalate: z
    .object({
      reason: z.string().min(1).max(1000).describe("Why, for the user, who decides"),
      to: z.enum(["outside", "write"]).optional().describe("outside: no sandbox; write: may write `folder`"),
      folder: z.string().min(1).optional(),
    })
    .refine(({ to, folder }) => to !== "write" || folder !== undefined, "write needs a folder")
    .optional(),
  background: z.boolean().optional().describe("Do not wait for its end"),
});

const otherNames: OtherNames = {
  ...wordsForThePerson,
  cmd: "command",
  script: "command",
  workdir: "cwd",
  workingdirectory: "cwd",
  directory: "cwd",
  dirpath: "cwd",
  runinbackground: "background",
  isbackground: "background",
  timeoutseconds: "timeout_s",
  timeoutsecs: "timeout_s",
  timeoutsec: "timeout_s",
  timeoutms: (value) => ({ timeout_s: Number(value) / 1000 }),
  // Some agents count it in milliseconds, some in seconds. No command is given less than a second, and none more seconds than here.
  timeout: (value) => {
    const number = Number(value);
    if (number >= 1000) return { timeout_s: number / 1000 };
    return number <= maxTimeoutSeconds ? { timeout_s: number } : undefined;
  },
};

type Input = z.infer<typeof input>;

/** Some models give the command as a list of arguments, often that of a shell with the command as the last one. */
function acceptForm(sent: Fields): Fields {
  const { command } = sent;
  if (!Array.isArray(command) || !command.every((part) => typeof part === "string")) return sent;
  const [program = "", option = "", script, ...rest] = command;
  const isShell = /^(?:.*\/)?(?:ba|z|da)?sh$/.test(program) && /^-[a-z]*c$/.test(option);
  if (isShell && script !== undefined && rest.length === 0) return { ...sent, command: script };
  return { ...sent, command: command.map(quoteForShell).join(" ") };
}

function quoteForShell(argument: string): string {
  return /^[\w@%+=:,./-]+$/.test(argument) ? argument : `'${argument.replaceAll("'", "'\\''")}'`;
}

export const bashTool = tool<Input>({
  name: "bash",
  kind: "execute",
  description,
  input,
  otherNames,
  acceptForm,
  readOnly: false,
  isSandboxed: true,
  outputLimit: 30_000,
  keepsBothEnds: true,
  timeoutMs: ({ timeout_s }) => (timeout_s === undefined ? undefined : timeout_s * 1000),
  describe: ({ command, cwd: folder, escalate }, cwd) => ({
    title: buildTitle(command, escalate, cwd),
    ...(escalate !== undefined && { preview: [textContent(explain(escalate))] }),
    ...(folder === undefined ? {} : { locations: [{ path: folder.startsWith("/") ? folder : `${cwd}/${folder}` }] }),
  }),
  async execute(call, context) {
    const { workspace } = context;
    const cwd = workspace.files.absolute(call.cwd ?? ".");
    const escalation = readEscalation(call, context);
    const network = escalation?.to === "outside" || (await decideNetwork(call, context));
    const request = { command: call.command, cwd, network, ...(escalation !== undefined && { escalation }) };
    if (call.background === true) {
      const { id, terminalId } = await workspace.jobs.start(request, context.signal);
      return {
        ...textResult(`Started as ${id}. Look at it with bash_output, end it with bash_kill.`),
        ...(terminalId !== undefined && { display: [terminalContent(terminalId)] }),
      };
    }
    return await runNow(request, context);
  },
});

async function runNow(request: Parameters<Jobs["run"]>[0], context: ToolContext): Promise<ToolResult> {
  const { workspace, signal, show } = context;
  using live = new LiveOutput(show);
  let terminal: readonly ToolCallContent[] = [];
  const done = await workspace.jobs.run(request, signal, {
    onOutput: (text) => live.add(text),
    onTerminal: (terminalId) => {
      terminal = [terminalContent(terminalId)];
      show(terminal);
    },
  });
  return "job" in done ? reportBackgroundJob(done.job, terminal) : buildResult(done.end, terminal, context);
}

/** It takes longer than the call may: it is a job now. */
function reportBackgroundJob(job: JobReport, terminal: readonly ToolCallContent[]): ToolResult {
  const { id, text, hasGap } = job;
  const head = `It still runs, and goes on in the background as ${id}. Look at it with bash_output, end it with bash_kill.`;
  const gap = hasGap ? ["[The beginning of the output was dropped.]"] : [];
  const parts = [head, ...gap, text === "" ? "(no output yet)" : text];
  return {
    ...textResult(plainOutput(parts.join("\n"))),
    display: terminal.length > 0 ? terminal : [textContent(parts.join("\n"))],
    rawOutput: { job: id },
  };
}

type Wish = NonNullable<Input["escalate"]>;

/** In the title, because it is all that some clients show of a question. */
function buildTitle(command: string, escalate: Wish | undefined, cwd: string): string {
  const title = createToolTitle("bash", { command }, cwd);
  return escalate === undefined ? title : `${title} ${describeEscalation(asEscalation(escalate))}`;
}

function explain(escalate: Wish): string {
  return `Asks to run ${describeEscalation(asEscalation(escalate))}. ${describeRights(asEscalation(escalate))}\nReason: ${escalate.reason}`;
}

function asEscalation({ to = "outside", folder, reason }: Wish): Escalation {
  return to === "write" && folder !== undefined ? { to, folder, reason } : { to: "outside", reason };
}

/** The permission of the call was asked with it. Without a sandbox there is nothing to leave. */
function readEscalation({ escalate }: Input, { workspace }: ToolContext): Escalation | undefined {
  if (escalate === undefined || !workspace.sandboxed) return undefined;
  const wanted = asEscalation(escalate);
  return wanted.folder === undefined ? wanted : { ...wanted, folder: workspace.files.absolute(wanted.folder) };
}

/** The network is a permission of its own: a rule that lets a command run says nothing about it. */
async function decideNetwork({ command, cwd, network }: Input, { workspace, ask }: ToolContext): Promise<boolean> {
  if (workspace.network || !workspace.sandboxed) return true;
  if (network !== true) return false;
  const decision = await ask({
    tool: networkTool,
    kind: "fetch",
    title: `Use the network: ${createToolTitle("bash", { command })}`,
    args: { command, network, ...(cwd !== undefined && { cwd }) },
  });
  if (!decision.allowed)
    throw new ToolFailure(`The command was not run: it may not use the network. ${decision.message}`);
  return true;
}

/** A terminal shows the output itself: it is not sent a second time. */
function buildResult(
  end: CommandEnd,
  terminal: readonly ToolCallContent[],
  { workspace, signal }: ToolContext,
): ToolResult {
  const { ending } = end;
  const succeeded = hasSucceeded(ending);
  const { before, after } = explainEnd(end, {
    escalation: wayOut,
    network: "The network is off for commands. If this one needs it, call bash again with network: true.",
    runningJobs: workspace.jobs.running,
    ...(ending.ended === "cancelled" && isTimeUp(signal) && { ending: timeUp }),
  });
  const dropped = end.isTruncated ? ["[The beginning of the output was dropped.]"] : [];
  const [text, forModel] = [end.output, plainOutput(end.output)].map((output) =>
    [...before, ...dropped, output, ...after].filter((part) => part !== "").join("\n"),
  );
  return {
    content: [{ type: "text", text: forModel || "Done, without output." }],
    ...(succeeded ? {} : { isError: true }),
    display: terminal.length > 0 ? terminal : [textContent(text || "(no output)")],
    rawOutput: ending.ended === "exit" ? { exit_code: ending.exitCode } : { ended: ending.ended },
  };
}

const wayOut =
  "If the task needs this and the user has not refused it, call bash again with escalate and a reason: the user decides.";

/** Only where too many jobs run already. */
const timeUp = "Stopped: its time was up, and too many commands run in the background for it to go on there.";
