// Writes the history files that an agent would have left after three weeks of work, for screenshots.
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const day = 24 * 60 * 60 * 1000;
const titles = [
  "Make the flaky upload test steady",
  "Why does the importer use so much memory?",
  "Write the notes for 2.4",
  "Move the settings page to the new form",
  "Find who calls parseRange twice",
  "Update the sandbox documentation",
  "Make dates readable on the invoice",
  "Retry only what can be retried",
  "Read the configuration only once",
  "Drop the old theme",
  "Name the threads of the pool",
  "Check the licences of what we ship",
  "Explain the error when the disk is full",
  "Make the search twice as quick",
];
const files = [
  "src/upload.ts",
  "src/retry.ts",
  "test/upload.test.ts",
  "src/importer.ts",
  "docs/sandbox.md",
  "package.json",
];

/** The same numbers every time, so that screenshots do not change by chance. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * below);
  };
}

export function writeExampleHistory(home: string, folders: readonly string[]): void {
  const place = join(home, ".claude/projects/-ferry");
  mkdirSync(place, { recursive: true });
  const random = numbers(7);
  for (let before = 20; before >= 1; before--) {
    const begin = Date.now() - before * day;
    // Weekends are quiet.
    if ([0, 6].includes(new Date(begin).getDay())) continue;
    const id = `s${before}`;
    const lines = sessionLines(
      id,
      folders[before % folders.length] ?? "",
      begin,
      titles[before % titles.length] ?? "",
      random,
    );
    writeFileSync(join(place, `${id}.jsonl`), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
  }
}

function sessionLines(
  id: string,
  folder: string,
  begin: number,
  title: string,
  random: (below: number) => number,
): readonly object[] {
  let time = begin;
  const common = () => {
    time += 400 + random(9000);
    return { cwd: folder, sessionId: id, timestamp: new Date(time).toISOString() };
  };
  const answer = (content: object) => ({
    ...common(),
    type: "assistant",
    message: {
      id: `m-${id}-${time}`,
      content: [content],
      usage: { input_tokens: 2000 + random(9000), output_tokens: 200 + random(900) },
    },
  });
  const lines: object[] = [{ ...common(), type: "user", message: { content: title } }];
  for (let index = 0; index < 8 + random(30); index++) {
    const toolId = `t-${id}-${index}`;
    const path = join(folder, files[Math.min(random(files.length), random(files.length))] ?? "");
    const call = [
      { name: "Read", input: { file_path: path } },
      { name: "Edit", input: { file_path: path, old_string: "a", new_string: "b" } },
      { name: "Bash", input: { command: "npm test -- upload" } },
      { name: "Grep", input: { pattern: "retry" } },
    ][random(4)];
    lines.push(answer({ type: "tool_use", id: toolId, ...call }));
    const content = [{ type: "tool_result", tool_use_id: toolId, content: "ok", is_error: random(9) === 0 }];
    lines.push({ ...common(), type: "user", message: { content } });
  }
  lines.push(answer({ type: "text", text: "Done: the suite passes." }));
  return lines;
}
