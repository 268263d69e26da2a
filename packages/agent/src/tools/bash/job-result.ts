// What the model is told of a background job.
import { outcomeWords } from "../commands/command.ts";
import type { JobLook } from "../commands/jobs.ts";
import { said, type ToolResult } from "../tool.ts";

export function jobResult({ id, output, end }: JobLook): ToolResult {
  const text = output || "(no new output)";
  if (end === null) return said(`${id} is running.\n${text}`);
  const head = [
    `${id} has ended. ${outcomeWords(end.outcome) || "Exit code 0"}`,
    ...end.denied.map((line) => `The sandbox refused: ${line}`),
    ...(end.networkDenied ? ["The network was off for it; start it with network: true if it needs it."] : []),
  ];
  const result = said([...head, text].join("\n"));
  return end.outcome.type === "exit" && end.outcome.code === 0 ? result : { ...result, isError: true };
}
