// What the model is told of a background job: of much output the end, because that is what happens now. The person sees more of it.
import { textContent } from "@signalbox/tool-calls";
import { outcomeWords } from "../commands/command.ts";
import type { JobLook } from "../commands/jobs.ts";
import { said, type ToolResult } from "../tool.ts";

export const jobOutputLimit = 30_000;
/** Leaves room for what stands before it, so that its end is not cut. */
const mostRead = 27_000;

export function jobResult(look: JobLook): ToolResult {
  const { output, dropped, end } = look;
  const head = headOf(look);
  const newest = output.slice(-mostRead);
  const result = {
    ...said(`${head}\n${shown(newest, dropped + output.length - newest.length)}`),
    display: [textContent(`${head}\n${shown(output, dropped)}`)],
  };
  return end === null || (end.outcome.type === "exit" && end.outcome.code === 0)
    ? result
    : { ...result, isError: true };
}

function headOf({ id, end }: JobLook): string {
  if (end === null) return `${id} is running.`;
  return [
    `${id} has ended. ${outcomeWords(end.outcome) || "Exit code 0"}`,
    ...end.denied.map((line) => `The sandbox refused: ${line}`),
    ...(end.networkDenied ? ["The network was off for it; start it with network: true if it needs it."] : []),
  ].join("\n");
}

function shown(output: string, dropped: number): string {
  if (output === "") return "(no new output)";
  return dropped === 0 ? output : `[${dropped} characters before this were dropped]\n${output}`;
}
