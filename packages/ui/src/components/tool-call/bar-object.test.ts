import type { ToolCallRow } from "@signalbox/protocol";
import { expect, it } from "vitest";
import { describeBar } from "./bar-object.ts";

const bar = (fields: object) =>
  describeBar(
    {
      tool_call_id: "c1",
      title: "",
      kind: "other",
      content: [],
      raw_input: null,
      meta: {},
      ...fields,
    } as unknown as ToolCallRow,
    "/w",
  );
const diff = (path: string) => ({ type: "diff", path, oldText: "a", newText: "b" });

it("names the command, and the agent's words only where they say more", () => {
  const npm = { kind: "execute", raw_input: { command: "npm test" } };
  expect(bar({ ...npm, title: "`npm test`" })).toEqual({ object: "npm test", words: null });
  expect(bar({ ...npm, title: "Check `it`" })).toEqual({ object: "npm test", words: "Check it" });
});

it("names the file of a change from the folder, and counts the others", () => {
  expect(bar({ kind: "edit", title: "Edit /w/src/a.ts", content: [diff("/w/src/a.ts")] })).toEqual({
    object: "src/a.ts",
    words: null,
  });
  expect(bar({ kind: "edit", title: "Rename", content: [diff("/w/a.ts"), diff("/w/b.ts")] })).toEqual({
    object: "a.ts +1",
    words: "Rename",
  });
});

it("leaves out the verb that the icon says", () => {
  expect(bar({ kind: "read", title: "Read `src/a.ts` (1 - 5)" })).toEqual({
    object: null,
    words: "`src/a.ts` (1 - 5)",
  });
  expect(bar({ kind: "read", title: "Read all of it" })).toEqual({ object: null, words: "Read all of it" });
});
