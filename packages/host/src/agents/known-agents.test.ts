// Checks what must be written down elsewhere for every agent that is known.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { listKnownAgents } from "./known-agents.ts";

it("docs/agents.md has a row for every known agent, with the command that starts it", () => {
  const docs = readFileSync(join(import.meta.dirname, "../../../../docs/agents.md"), "utf8");
  const rows = docs.split("\n").map((line) => line.split("|").map((cell) => cell.trim().replaceAll("`", "")));
  const missing = listKnownAgents("/data").filter(
    ({ id, command, args }) => !rows.some((cells) => cells[1] === id && cells[3] === [command, ...args].join(" ")),
  );
  expect(missing.map(({ id }) => id)).toEqual([]);
});
