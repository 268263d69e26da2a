// Parses the demo's command language: each line of a prompt is a step, and each step calls a real tool. docs/agent.md lists the commands.

export interface Step {
  readonly tool: string;
  readonly input: unknown;
}

interface Command {
  readonly pattern: RegExp;
  readonly step: (groups: readonly string[]) => Step | undefined;
}

/** Paths and globs are one word, so that "read this for me" is no command. */
const commands: readonly Command[] = [
  {
    pattern: /^read (\S+?)(?::(\d+)-(\d+))?$/i,
    step: ([path, from, to]) => {
      const lines = from && to ? { line: Number(from), limit: Number(to) - Number(from) + 1 } : {};
      return { tool: "read", input: { path, ...lines } };
    },
  },
  { pattern: /^list(?: (\S+))?$/i, step: ([path]) => ({ tool: "list_directory", input: { path: path || "." } }) },
  { pattern: /^find (\S+)$/i, step: ([pattern]) => ({ tool: "find_path", input: { pattern } }) },
  { pattern: /^grep (.+)$/i, step: ([pattern]) => ({ tool: "grep", input: { pattern } }) },
  { pattern: /^run (.+)$/i, step: ([command]) => ({ tool: "bash", input: { command } }) },
  {
    pattern: /^write (\S+): ?(.*)$/i,
    step: ([path, content]) => ({ tool: "write", input: { path, content: `${content}\n` } }),
  },
  {
    pattern: /^edit (\S+): ?(.+?) -> (.*)$/i,
    step: ([path, old_string, new_string]) => ({ tool: "edit", input: { path, old_string, new_string } }),
  },
  { pattern: /^fetch (\S+)$/i, step: ([url]) => ({ tool: "fetch", input: { url } }) },
  { pattern: /^think: ?(.+)$/i, step: ([thought]) => ({ tool: "thinking", input: { thought } }) },
  { pattern: /^plan: ?(.+)$/i, step: ([steps = ""]) => ({ tool: "todo_write", input: { todos: parseTodos(steps) } }) },
  { pattern: /^call (\S+)(?: (\{.*\}))?$/i, step: ([tool = "", json]) => parseCall(tool, json || "{}") },
];

/** The steps of a prompt; undefined when one of its lines is no command, because then it is no script. */
export function parseScript(prompt: string): readonly Step[] | undefined {
  const lines = prompt
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");
  const steps = lines.map(parseLine);
  return steps.length > 0 && steps.every((step) => step !== undefined) ? steps : undefined;
}

function parseLine(line: string): Step | undefined {
  for (const { pattern, step } of commands) {
    const match = pattern.exec(line);
    if (match !== null) return step(match.slice(1).map((group) => group ?? ""));
  }
  return undefined;
}

/** `[x] done; [-] under way; to do` */
function parseTodos(steps: string): readonly { content: string; status: string }[] {
  return steps.split(";").map((step) => {
    const [, mark = "", content = ""] = /^\s*(?:\[([x-])\])?\s*(.*?)\s*$/.exec(step) ?? [];
    return { content, status: mark === "x" ? "completed" : mark === "-" ? "in_progress" : "pending" };
  });
}

function parseCall(tool: string, json: string): Step | undefined {
  try {
    return { tool, input: JSON.parse(json) };
  } catch {
    return undefined;
  }
}
