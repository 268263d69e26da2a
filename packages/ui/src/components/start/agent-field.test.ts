// Which agent a new thread gets.
import type { AgentRow } from "@signalbox/protocol";
import { expect, it } from "vitest";
import { chooseAgent } from "./agent-field.tsx";

const row = (id: string, readiness: AgentRow["readiness"], more: Partial<AgentRow> = {}): AgentRow => ({
  id,
  label: id,
  readiness,
  reason: null,
  version: null,
  ...more,
});
const demo = row("demo", "ready", { demo: true });

it("never chooses the demo by itself, also after a thread of it", () => {
  expect(chooseAgent([demo, row("signalbox", "needs_login")], "", "demo")?.id).toBe("signalbox");
  expect(chooseAgent([demo, row("goose", "ready"), row("signalbox", "ready")], "", "demo")?.id).toBe("goose");
  expect(chooseAgent([demo], "", "demo")).toBeUndefined();
});

it("chooses the agent of the latest thread, and what a person chose before that", () => {
  const agents = [demo, row("goose", "ready"), row("codex", "ready")];
  expect(chooseAgent(agents, "", "codex")?.id).toBe("codex");
  expect(chooseAgent(agents, "demo", "codex")?.id).toBe("demo");
});
