import { expect, it } from "vitest";
import { makeLogInError } from "./log-in.ts";

const agent = { id: "a", label: "A", command: "a", args: [], login: "Run `a login`." };

it("says how to log in, once; an agent that says itself what to do is not ready, whether or not that is a log-in", () => {
  expect(makeLogInError(agent, [], "No key.").message).toBe(
    "A wants you to log in first: No key. Run `a login`. Then try again.",
  );
  expect(makeLogInError(agent, [], "Run `a login`.").message).toBe("A is not ready: Run `a login`. Then try again.");
});
