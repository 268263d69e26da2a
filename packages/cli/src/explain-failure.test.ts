import { HostError } from "@signalbox/host";
import { expect, it } from "vitest";
import { explainFailure } from "./explain-failure.ts";

it("a host that runs is named where the key was set for this command alone", () => {
  const printed: string[] = [];
  const explain = (error: unknown, runsAt: string | null) =>
    explainFailure(error, runsAt, (text) => printed.push(text));
  const noKey = new HostError("agent_failed", "Set a key.", { details: { code: -32_000 } });
  expect(explain(noKey, null)).toBe(64);
  expect(printed.splice(0)).toEqual(["Set a key."]);
  expect(explain(noKey, "http://127.0.0.1:4280")).toBe(64);
  expect(printed.splice(0)).toEqual(["Set a key.", expect.stringContaining("runs at http://127.0.0.1:4280: ")]);
  expect(explain(new HostError("agent_failed", "It ended."), "http://127.0.0.1:4280")).toBe(3);
  expect(printed).toEqual(["It ended."]);
});
