// What a compaction keeps: the user's own words, the files, the newest messages; and what a model adds to it.
import { expect, it } from "vitest";
import type { Model, ModelMessage } from "../providers/model.ts";
import { compactHistory } from "./compaction.ts";

function modelThatSays(summary: string | Error, asked: string[] = []): Model {
  return {
    provider: "test",
    name: "test",
    contextWindow: 10_000,
    facts: {},
    async *stream({ messages }) {
      asked.push(JSON.stringify(messages));
      if (summary instanceof Error) throw summary;
      yield { type: "text", text: summary };
      yield { type: "finish", reason: "stop", usage: null, message: [] };
    },
  };
}

const user = (text: string): ModelMessage => ({ role: "user", content: [{ type: "text", text }] });
const call = (name: string, path: string): readonly ModelMessage[] => [
  { role: "assistant", content: [{ type: "tool_call", id: path, name, input: { path } }] },
  { role: "tool", results: [{ id: path, name, content: [{ type: "text", text: "fine" }], isError: false }] },
];
const texts = (messages: readonly ModelMessage[] | undefined) =>
  messages?.map(
    ({ role, ...more }) =>
      `${role}: ${"content" in more ? more.content.map((part) => ("text" in part ? part.text : part.type)).join() : ""}`,
  );

const compact = (messages: readonly ModelMessage[], model: Model, what: "all" | "older" = "all") =>
  compactHistory(messages, model, new AbortController().signal, { what });

it("keeps the user's words as they were said and names the files, also over a second compaction", async () => {
  const first = [
    user("make it blue"),
    ...call("read", "a.ts"),
    ...call("edit", "a.ts"),
    user("no, green"),
    { role: "assistant", content: [{ type: "tool_call", id: "b", name: "Write", input: { file_path: "b.ts" } }] },
    { role: "tool", results: [{ id: "b", name: "Write", content: [], isError: false }] },
  ] satisfies ModelMessage[];
  const once = await compact(first, modelThatSays("It is green now."));
  expect(texts(once?.messages)).toEqual([
    "user: make it blue",
    "user: no, green",
    expect.stringMatching(
      /^user: This is what happened [^]*\n\nIt is green now\.\n\nFiles changed: a\.ts, b\.ts\n\nFiles read: a\.ts$/,
    ),
  ]);
  const asked: string[] = [];
  const again = [...(once?.messages ?? []), user("and round"), ...call("edit", "c.ts")];
  const twice = await compact(again, modelThatSays("Green and round.", asked));
  expect(texts(twice?.messages)?.slice(0, 3)).toEqual(["user: make it blue", "user: no, green", "user: and round"]);
  expect(twice?.messages).toHaveLength(4);
  expect(asked[0]).toContain("NOTES SO FAR: This is what happened");
});

it("shortens what was pasted, and leaves out the oldest where not all fits", async () => {
  const pasted = `begin ${"x".repeat(20_000)} end`;
  const done = await compact(
    [user("forgotten ".repeat(10)), user(pasted), user("kept too"), ...call("edit", "a.ts")],
    modelThatSays("S"),
  );
  expect(texts(done?.messages)).toEqual([
    expect.stringMatching(/^user: begin x+\n\[… \d+ characters …\]\nx+ end$/),
    "user: kept too",
    expect.stringContaining("S"),
  ]);
  expect(JSON.stringify(done?.messages).length).toBeLessThan(6000);
});

it("says which tools were called where the model writes no summary", async () => {
  const done = await compact([user("do it"), ...call("edit", "a.ts")], modelThatSays(new Error("overloaded")));
  expect(texts(done?.messages)?.at(-1)).toContain('- edit {"path":"a.ts"}');
});

it("keeps the open steps of the plan and what stands for the whole session, also over a second compaction", async () => {
  const todos = [
    { content: "Read it", status: "completed" },
    { content: "Change it", status: "in_progress" },
    { content: "Test it", status: "pending" },
  ];
  const planned: readonly ModelMessage[] = [
    user("go"),
    { role: "assistant", content: [{ type: "tool_call", id: "t", name: "todo_write", input: { todos } }] },
    { role: "tool", results: [{ id: "t", name: "todo_write", content: [], isError: false }] },
  ];
  const options = { what: "all", standing: ["Running jobs: job_1."] } as const;
  const { signal } = new AbortController();
  const kept = "Open steps of the plan:\n- Change it (in_progress)\n- Test it (pending)\n\nRunning jobs: job_1.";
  const once = await compactHistory(planned, modelThatSays("Begun."), signal, options);
  expect(texts(once?.messages)?.at(-1)).toContain(kept);
  const again = [...(once?.messages ?? []), user("more"), ...call("edit", "a.ts")];
  const twice = await compactHistory(again, modelThatSays("Going on."), signal, options);
  expect(texts(twice?.messages)?.at(-1)).toContain(kept);
});
