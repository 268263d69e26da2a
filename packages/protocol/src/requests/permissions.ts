// Requests about questions to the person, and about rules that answer them.
import { z } from "zod";
import type { RuleRow, RuleTestRow } from "../rule-row.ts";
import { type ActionDefinition, type QueryDefinition, result } from "./define.ts";
import { count, decidedBy, nothing, openJson, ruleText, shown, threadId } from "./fields.ts";

export const permissionRequests = {
  "permission.respond": {
    about: "Answers a question for permission; `conflict` if it is not open any more.",
    params: z.object({
      thread_id: threadId,
      permission_id: z.string().min(1).max(200),
      option_id: z.string().max(500).nullable().describe("one of the question's options; null denies"),
      remember: z.enum(["once", "turn", "thread", "folder", "always"]).optional(),
      rule: ruleText
        .optional()
        .describe("the rule to remember instead of the narrowest one: `allow MATCH`, or only `MATCH`"),
      comment: z.string().min(1).max(10_000).optional().describe("a message to the agent about a denial"),
      also: z
        .array(z.string().min(1).max(200))
        .max(500)
        .optional()
        .describe("other questions of the thread that get the same answer once"),
      shown,
      decided_by: decidedBy,
    }),
    result: result<void>(),
    remote: true,
  },
  "elicitation.respond": {
    about: "Answers a form or a link; `bad_request` with `details.problems` if the content does not fit the form.",
    params: z.object({
      thread_id: threadId,
      elicitation_id: z.string().min(1).max(200),
      action: z.enum(["accept", "decline", "cancel"]),
      content: z.record(z.string(), openJson).optional().describe("the answers to a form by field, with `accept`"),
      shown,
      decided_by: decidedBy,
    }),
    result: result<void>(),
    remote: true,
  },
  "rules.save": {
    about: "Saves a rule for a thread, a folder, or everything.",
    params: z.object({
      decision: z.enum(["allow", "ask", "deny"]),
      match: ruleText,
      scope: z
        .strictObject({ type: z.enum(["thread", "folder"]), id: z.string().min(1).max(4096) })
        .nullable()
        .optional(),
    }),
    result: result<void>(),
  },
  "rules.delete": {
    about: "Deletes a saved rule.",
    params: z.object({ rule_id: z.string().min(1).max(200) }),
    result: result<void>(),
  },
} as const satisfies Record<string, ActionDefinition>;

export const permissionQueries = {
  "rules.list": { about: "All rules, with where they come from.", params: nothing, row: result<RuleRow>() },
  "rules.test": {
    about: "Reports what a rule alone would have decided about the questions of this machine's threads.",
    params: z.object({
      rule: ruleText.describe("`allow MATCH`, `ask MATCH` or `deny MATCH`"),
      days: count.describe("only questions of the last days"),
    }),
    row: result<RuleTestRow>("rule", "would_allow", "would_deny", "would_ask", "differs"),
  },
} as const satisfies Record<string, QueryDefinition>;
