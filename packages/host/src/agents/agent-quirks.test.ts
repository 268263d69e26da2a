import { describe, expect, it } from "vitest";
import { QuirksInUse } from "./agent-quirks.ts";
import { listKnownAgents } from "./known-agents.ts";
import { type AgentDefinition, AgentRegistry } from "./registry.ts";

const own: AgentDefinition = { id: "mine", label: "Mine", command: "gemini", args: ["--acp", "--yolo"] };

function quirksOf(configured: AgentDefinition, agentInfo?: { readonly name: string }) {
  const found = new AgentRegistry([...listKnownAgents("/data"), configured]).find(configured.id);
  const quirks = new QuirksInUse(found ?? configured);
  quirks.identify(agentInfo);
  return quirks.current;
}

describe("the quirks of an agent", () => {
  it("follow what the agent says it is, whatever the user calls it", () => {
    expect(quirksOf(own, { name: "gemini-cli" })).toEqual({ readMissingFile: "empty" });
    expect(quirksOf(own)).toEqual({});
    expect(quirksOf(own, { name: "other" })).toEqual({});
  });

  it("stay with a known id, also when the user gives it another command line", () => {
    expect(quirksOf({ ...own, id: "gemini" })).toEqual({ readMissingFile: "empty" });
    expect(quirksOf({ ...own, id: "goose" })).toEqual({ endsAtStdinEnd: false });
  });

  it("are what the config says where it says so", () => {
    const configured: AgentDefinition = { ...own, configuredQuirks: { readMissingFile: "not_found" } };
    expect(quirksOf(configured, { name: "gemini-cli" })).toEqual({ readMissingFile: "not_found" });
  });
});
