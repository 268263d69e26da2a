// Schemas of fields that several requests have.
import { z } from "zod";
import { type ContentBlock, isContentBlock } from "../acp.ts";
import { isJsonObject, isNestedTooDeep, type Json, type JsonObject } from "../json.ts";
import type { ThreadRow } from "../tables.ts";

const depthProblem = "is nested too deep";

/** Of parameters, only open JSON can be nested deep: other schemas drop what they do not know. */
export const openJson = z.custom<Json>((value) => value !== undefined && !isNestedTooDeep(value), depthProblem);
/** A content block goes to the agent as the client spelled it; only its type is checked. */
const contentBlock = z
  .custom<ContentBlock>(isContentBlock, "a content block is an object with a type")
  .refine((block) => !isNestedTooDeep(block), depthProblem);

/** The usual shape of an MCP server; the agent reads it. */
export const mcpServer = z.custom<JsonObject>(
  (value) => isJsonObject(value) && typeof value.name === "string" && !isNestedTooDeep(value),
  "an MCP server is an object with a name",
);

export const threadId = z.string().min(1).max(200);
export const turnId = z.string().min(1).max(200);
export const agentId = z.string().min(1).max(200);
export const seq = z.number().int().nonnegative();
export const folder = z.string().min(1).max(4096);
export const path = z.string().min(1).max(8192);
export const paths = z.array(path).min(1).max(10_000);
export const title = z.string().max(500);
export const prompt = z.array(contentBlock).min(1).readonly();
/** A rule that is remembered with an answer can be saved and edited too. */
export const ruleText = z.string().min(1).max(60_000);
/** The SHA-256 of a question as it was shown, in hexadecimal digits. */
export const digest = z.string().regex(/^[0-9a-f]{64}$/);
export const shown = z
  .record(z.string().max(200), digest)
  .optional()
  .describe(
    "by id, a digest of each question as it was shown (`formatShownQuestion`); a yes to another one is refused. Required for a yes from another machine",
  );
export const decidedBy = z
  .enum(["person", "command"])
  .optional()
  .describe("who answers; a command denies what no rule allows");

export const model = z
  .string()
  .min(1)
  .max(200)
  .optional()
  .describe("as the agent names it; for our own agent also `PROVIDER:NAME`");
/** Settings of the agent, where it offers a choice. */
export const choices = {
  mode_id: z.string().max(200).optional(),
  model,
  thinking: z.string().min(1).max(200).optional(),
};

export const nothing = z.object({});
export const ofThread = z.object({ thread_id: threadId });

/** A thread, as it is after the request. */
export type ThreadResult = { readonly thread_id: string; readonly thread: ThreadRow };

/** Optional arguments of queries may be null too. */
export const text = z.string().nullish();
export const count = z.number().int().nonnegative().nullish();
export const flag = z.boolean().nullish();
/** A page of a list: at most `limit` rows, from where `cursor` (an earlier answer's `next_cursor`) says. */
export const page = { limit: count, cursor: text };
/** A page of a thread's items by `seq`: the newest first, or those after or before a place. */
export const seqPage = { ...page, after_seq: count, before_seq: count };
export const threadPage = z.object({ thread_id: z.string(), ...seqPage });
