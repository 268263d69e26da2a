// What the model is told of a background job.
import { outcomeWords } from "../commands/command.ts";
import type { JobLook } from "../commands/jobs.ts";
import { said, type ToolResult } from "../tool.ts";

export function jobResult({ id, output, end }: JobLook): ToolResult {
  // A job in the client's terminal prints there; its output comes with its end.
  const text = output || end?.output || "";
  if (end === null) return said(`${id} is running.\n${text || "(no new output)"}`);
  const words = outcomeWords(end.outcome) || "Exit code 0";
  const refused = end.denied.map((line) => `\nThe sandbox refused: ${line}`).join("");
  const result = said(`${id} has ended. ${words}${refused}\n${text || "(no new output)"}`);
  return end.outcome.type === "exit" && end.outcome.code === 0 ? result : { ...result, isError: true };
}
