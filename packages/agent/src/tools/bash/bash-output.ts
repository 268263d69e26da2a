// Implements the `bash_output` tool: it returns what a background job printed since it was last read, and how it ended.
import { z } from "zod";
import { tool } from "../tool.ts";
import { jobNames, jobOutputLimit, jobResult } from "./job-result.ts";

const description = `Returns what a background job printed since you last looked, and how it ended.`;

const input = z.object({
  job: z.string().min(1).describe("Its id"),
  wait_s: z.number().min(0).max(100).optional().describe("Seconds to wait for its end"),
});

export const bashOutputTool = tool<z.infer<typeof input>>({
  name: "bash_output",
  kind: "read",
  description,
  input,
  otherNames: jobNames,
  readOnly: true,
  repeatable: true,
  outputLimit: jobOutputLimit,
  describe: ({ job }) => ({ title: `Output of ${job}` }),
  execute: async ({ job, wait_s = 0 }, { workspace, signal }) =>
    jobResult(await workspace.jobs.read(job, wait_s * 1000, signal)),
});
