import { expect, it } from "vitest";
import { describeRequest } from "./request-words.ts";

it.each([
  [{ direction: "to_agent", method: "session/prompt", subject: null }, "Waiting for the agent to finish its turn"],
  [
    { direction: "from_agent", method: "session/request_permission", subject: "`make it`" },
    "The agent waits for your answer: make it",
  ],
  [{ direction: "to_agent", method: "x/own", subject: null }, "Waiting for the agent to answer x/own"],
] as const)("%j is %s", (request, words) => {
  expect(describeRequest(request)).toBe(words);
});
