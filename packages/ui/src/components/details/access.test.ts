import { expect, it } from "vitest";
import { describeAccess } from "./access.ts";

it("says what the sandbox of Signalbox lets through", () => {
  const lines = describeAccess({ by: "signalbox", network: "allow-list" });
  expect(lines.map(([name]) => name)).toEqual(["Sandbox", "Writes", "Reads", "Reaches"]);
  expect(lines.at(-1)).toEqual(["Reaches", "the hosts you allow"]);
});

it("claims nothing about a sandbox of the agent's own", () => {
  const values = describeAccess({ by: "agent", network: "on" }).map(([, value]) => value);
  expect(values).toEqual(["Own sandbox", "not known", "not known", "not known"]);
});

it("does not call a missing sandbox one", () => {
  expect(describeAccess({ by: "none", network: "on" })[0]).toEqual(["Sandbox", "Your rights"]);
});
