// Reports a background job to the model: of long output the end, because that is what happens now. The person sees more of it.
import { hasSucceeded, type JobReport, jobStatus, plainOutput } from "@signalbox/agent-kit";
import { textContent } from "@signalbox/tool-calls";
import type { OtherNames } from "../other-names.ts";
import { type ToolResult, textResult } from "../tool.ts";

export const jobOutputLimit = 30_000;
export const jobNames: OtherNames = { jobid: "job", bashid: "job", shellid: "job", taskid: "job", id: "job" };
/** Less than the limit, so that the lines before it fit too. */
const maxOutput = 27_000;

export function jobResult(report: JobReport): ToolResult {
  const { text, hasGap, end } = report;
  const head = [
    jobStatus(report),
    ...((end?.denied ?? []).length > 0
      ? ["If the task needs this, start it again with escalate and a reason: the person decides."]
      : []),
    ...(end?.networkDenied === true ? ["The network was off for it; start it with network: true if it needs it."] : []),
  ].join("\n");
  const plain = plainOutput(text);
  const newest = plain.slice(-maxOutput);
  const result = {
    ...textResult(`${head}\n${describeOutput(newest, hasGap || newest.length < plain.length)}`),
    display: [textContent(`${head}\n${describeOutput(text, hasGap)}`)],
  };
  return end === undefined || hasSucceeded(end.ending) ? result : { ...result, isError: true };
}

function describeOutput(output: string, hasGap: boolean): string {
  if (output === "") return "(no new output)";
  return hasGap ? `[Some output before this was dropped.]\n${output}` : output;
}
