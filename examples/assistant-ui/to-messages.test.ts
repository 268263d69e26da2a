// What assistant-ui gets for a timeline: one message between two prompts, and questions as approvals.
import type { PermissionRow, TimelineItem } from "@signalbox/protocol";
import { expect, it } from "vitest";
import { toMessages } from "./to-messages.ts";

const item = (seq: number, fields: object) =>
  ({
    thread_id: "t",
    seq,
    created_at: seq,
    content: [],
    raw_input: null,
    raw_output: null,
    ...fields,
  }) as unknown as TimelineItem;
const said = (seq: number, role: string, text: string, kind = "message") =>
  item(seq, { type: "message", role, kind, text });
const call = (seq: number, fields: object) =>
  item(seq, {
    type: "tool_call",
    tool_call_id: `c${seq}`,
    name: "bash",
    title: "`make`",
    status: "pending",
    ...fields,
  });
const asked = (toolCallId: string, status: string) =>
  ({
    permission_id: "p",
    tool_call_id: toolCallId,
    status,
    options: [],
    option_id: null,
    comment: null,
  }) as unknown as PermissionRow;

const items = [
  said(1, "user", "Build it"),
  said(2, "assistant", "Hm.", "reason"),
  call(3, { raw_input: { command: "make" } }),
  said(4, "user", "And?"),
  said(5, "assistant", "Done."),
];

it("is one message for everything between two prompts", () => {
  const messages = toMessages({ items, permissions: [], isRunning: false });
  expect(messages.map(({ role, status }) => [role, status?.type])).toEqual([
    ["user", undefined],
    ["assistant", "complete"],
    ["user", undefined],
    ["assistant", "complete"],
  ]);
  expect(messages[1]?.content).toMatchObject([
    { type: "reasoning", text: "Hm." },
    { type: "tool-call", toolCallId: "c3", toolName: "bash", args: { command: "make" } },
  ]);
});

it.each([
  ["pending", {}, "requires-action"],
  ["allowed", { approved: true }, "running"],
  ["denied", { approved: false }, "running"],
  ["timed_out", { resolution: "expired" }, "running"],
  ["cancelled", { resolution: "cancelled" }, "running"],
])("shows a question that is %s, and whether the message waits for it", (status, approval, waits) => {
  const [, message] = toMessages({ items: items.slice(0, 3), permissions: [asked("c3", status)], isRunning: true });
  expect(message?.status?.type).toBe(waits);
  expect(message?.content[1]).toMatchObject({ approval: { id: "p", ...approval } });
  if (status === "pending") expect(message?.content[1]).not.toHaveProperty("approval.approved");
});

it.each([
  ["completed", { raw_output: { code: 0 } }, { code: 0 }, false],
  ["failed", { content: [{ type: "content", content: { type: "text", text: "No rule." } }] }, "No rule.", true],
])("gives the result of a call that has %s", (status, fields, result, isError) => {
  const [message] = toMessages({ items: [call(1, { status, ...fields })], permissions: [], isRunning: false });
  expect(message?.content).toMatchObject([{ result, isError }]);
});
