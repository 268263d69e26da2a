// Runs the fake agent with prompts that a person could have written, for screenshots. `--stories FILE` has the script of each prompt.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { fakeAgentFile, type Step } from "../support/fake-agent/script.ts";

const [, , , file = "", ...rest] = process.argv;
const stories = JSON.parse(readFileSync(file, "utf8")) as Readonly<Record<string, readonly Step[]>>;
const agent = spawn(process.execPath, ["--no-warnings", fakeAgentFile, ...rest], {
  stdio: ["pipe", "inherit", "inherit"],
});
agent.on("exit", (code) => process.exit(code ?? 1));
for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line) as { method?: string; params?: { prompt?: { text?: string }[] } };
  const text = message.params?.prompt?.at(-1)?.text;
  if (message.method === "session/prompt" && text !== undefined) {
    message.params = {
      ...message.params,
      prompt: [{ ...message.params?.prompt?.at(-1), text: JSON.stringify(stories[text] ?? []) }],
    };
  }
  agent.stdin.write(`${JSON.stringify(message)}\n`);
}
agent.stdin.end();
