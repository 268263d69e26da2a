// An example thread for screenshots and tests: an agent fixes uploads, with every kind of entry that a timeline can show.
import { askPermission, type Step, toolCall, toolCallUpdate } from "../support/fake-agent/script.ts";

const before = `import { put } from "./put.ts";

export async function upload(part: Part, signal: AbortSignal) {
  const response = await put(part, signal);
  if (!response.ok) throw new UploadError(response.status);
}
`;
const after = `import { put } from "./put.ts";
import { retry } from "./retry.ts";

export async function upload(part: Part, signal: AbortSignal) {
  await retry(async () => {
    const response = await put(part, signal);
    if (!response.ok) throw new RetryableError(response.status);
    return response;
  }, { attempts: 5, base: 200, signal });
}
`;

const escape = "\u001b";
const testOutput = `${escape}[2m RUN  v5.1.0 ~/ferry${escape}[0m

 ${escape}[32m✓${escape}[0m uploads one part ${escape}[2m12 ms${escape}[0m
 ${escape}[31m✗ gives up after five attempts${escape}[0m
   ${escape}[1mexpected${escape}[0m ${escape}[32m5 attempts${escape}[0m, saw ${escape}[31m6${escape}[0m
`;

const plan = (statuses: readonly string[]): Step => ({
  update: {
    sessionUpdate: "plan",
    entries: ["Find where errors become final", "Retry with backoff", "Test the drop", "Check the package"].map(
      (content, index) => ({ content, priority: "medium", status: statuses[index] ?? "pending" }),
    ),
  },
});

const done = (id: string, text?: string): Step =>
  toolCallUpdate(id, {
    status: "completed",
    ...(text === undefined ? {} : { content: [{ type: "content", content: { type: "text", text } }] }),
  });

/** Up to the question; the turn waits there. */
export const exampleThread = (folder: string): readonly Step[] => [
  {
    update: {
      sessionUpdate: "agent_thought_chunk",
      content: { type: "text", text: "Errors are thrown in `put()`; only some can be retried." },
    },
  },
  plan(["in_progress"]),
  { say: "I'll look at how `put()` reports errors first.\n" },
  toolCall("read", {
    title: "Read `src/upload.ts`",
    kind: "read",
    status: "in_progress",
    locations: [{ path: `${folder}/src/upload.ts`, line: 1 }],
  }),
  done("read", before),
  toolCall("grep", { title: 'grep "isRetryable"', kind: "search", status: "in_progress" }),
  done("grep", "src/put.ts:14: isRetryable\nsrc/put.ts:31: isRetryable"),
  plan(["completed", "in_progress"]),
  {
    say: "Only `ECONNRESET` is treated as final, so **one retry path** is enough:\n\n```ts\nawait retry(put, { attempts: 5 });\n```\n",
  },
  toolCall("edit", {
    title: "Edit `src/upload.ts`",
    kind: "edit",
    status: "in_progress",
    locations: [{ path: `${folder}/src/upload.ts`, line: 4 }],
  }),
  toolCallUpdate("edit", {
    status: "completed",
    content: [{ type: "diff", path: `${folder}/src/upload.ts`, oldText: before, newText: after }],
  }),
  plan(["completed", "completed", "in_progress"]),
  toolCall("test", {
    title: "`npm test -- upload`",
    kind: "execute",
    status: "in_progress",
    rawInput: { command: "npm test -- upload" },
  }),
  toolCallUpdate("test", {
    status: "failed",
    content: [{ type: "content", content: { type: "text", text: testOutput } }],
  }),
  {
    say: "Off by one: the first try counts as an attempt. Fixed; the suite passes. One thing is left, and it needs you.",
  },
  plan(["completed", "completed", "completed", "in_progress"]),
  { update: { sessionUpdate: "usage_update", used: 76_200, size: 200_000, cost: { amount: 0.41, currency: "USD" } } },
  toolCall("publish", {
    title: "`npm publish --dry-run`",
    kind: "execute",
    status: "pending",
    rawInput: { command: "npm publish --dry-run" },
  }),
  askPermission("publish"),
  toolCallUpdate("publish", { status: "completed" }),
  { say: "\nThe package is fine." },
];
