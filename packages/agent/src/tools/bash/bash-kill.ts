// Implements the `bash_kill` tool: it ends a background job and everything it started.
import { z } from "zod";
import { tool } from "../tool.ts";
import { jobNames, jobOutputLimit, jobResult } from "./job-result.ts";

const description = `Ends a background job and all it started; returns its new output.`;

const input = z.object({ job: z.string().min(1).describe("Its id") });

export const bashKillTool = tool<z.infer<typeof input>>({
  name: "bash_kill",
  kind: "execute",
  description,
  input,
  otherNames: jobNames,
  readOnly: true, // it ends only what this session was allowed to start, so no one needs to be asked
  outputLimit: jobOutputLimit,
  describe: ({ job }) => ({ title: `End ${job}` }),
  execute: async ({ job }, { workspace }) => ({ ...jobResult(await workspace.jobs.stop(job)), isError: false }),
});
