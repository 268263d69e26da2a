import type { Register } from "@signalbox/tinyvex";
import { expect, it } from "vitest";
import { processorTime } from "../../../../test/support/processor-time.ts";
import { ElicitationBroker } from "./elicitation-broker.ts";

it("tries all patterns of a form in a short time, however slow each of them is", () => {
  let id = "";
  const append: Register["append"] = (_, entry) => {
    if (entry.type === "fact" && entry.fact.type === "elicitation_requested") id = entry.fact.elicitation_id;
  };
  const broker = new ElicitationBroker({ append } as unknown as Register, 60_000);
  const names = Array.from({ length: 100 }, (_, index) => `field ${index}`);
  const fields = Object.fromEntries(names.map((name) => [name, { type: "string", pattern: "^(a+)+$" }]));
  const answer = Object.fromEntries(names.map((name) => [name, `${"a".repeat(40)}!`]));
  const cancel = new AbortController();
  const schema = { type: "object", properties: { first: { type: "string", pattern: "^a$" }, ...fields } };
  const asked = {
    threadId: "t",
    mode: "form",
    message: "",
    schema,
    url: null,
    toolCallId: null,
    agentsId: null,
  } as const;
  void broker.ask(asked, cancel.signal);
  const used = processorTime();
  expect(() => broker.respond("t", id, "accept", { first: "a", ...answer })).toThrow(
    "The answer does not fit the form. field 0:",
  );
  // Each alone would take longer than all of them may.
  expect(used()).toBeLessThan(3000);
  broker.respond("t", id, "accept", { first: "a" });
  cancel.abort();
});
