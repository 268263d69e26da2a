import { expect, it } from "vitest";
import { readStations } from "./plan-stations.ts";

const plan = (...states: string[]) =>
  states.map((status, index) => ({ content: `step ${index + 1}`, status, priority: "medium" }));

it("shows the step that the agent is at", () => {
  expect(readStations(plan("completed", "in_progress", "pending"))).toEqual({
    stations: ["passed", "current", "ahead"],
    step: "step 2",
    position: "2 of 3",
  });
});

it("shows the next step where none has begun", () => {
  expect(readStations(plan("completed", "pending"))).toMatchObject({ step: "step 2", position: "2 of 2" });
});

it("has no step when all are done", () => {
  expect(readStations(plan("completed", "completed"))).toMatchObject({ step: null, position: "2 of 2" });
});
