import { expect, it } from "vitest";
import type { Json } from "./json.ts";
import { toolCallProgress } from "./tool-call-progress.ts";

it("is known while a call runs and says how much there is to do", () => {
  const of = (report: Json, status = "in_progress") =>
    toolCallProgress({ status, meta: { "signalbox/progress": report } });
  expect(of({ progress: 25, total: 100, message: "step 1" })).toEqual({ part: 0.25, message: "step 1" });
  expect(of({ progress: 120, total: 100 })).toEqual({ part: 1, message: null });
  expect(of({ progress: -1, total: 100 })).toEqual({ part: 0, message: null });
  for (const unknown of [{ progress: 300 }, { progress: 1, total: 0 }, { progress: "1", total: 2 }, "half", null])
    expect(of(unknown)).toBeNull();
  expect(of({ progress: 25, total: 100 }, "completed")).toBeNull();
  expect(toolCallProgress({ status: "in_progress", meta: null })).toBeNull();
});
