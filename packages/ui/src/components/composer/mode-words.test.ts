import { describe, expect, it } from "vitest";
import { listModes } from "./mode-words.ts";

describe("the words for modes", () => {
  it("are the same for all agents, with the agent's own name beside them", () => {
    const claude = [
      { id: "default", name: "Default" },
      { id: "acceptEdits", name: "Accept edits" },
      { id: "plan", name: "Plan" },
    ];
    expect(listModes("claude-code", "Claude Code", claude)).toEqual([
      { value: "default", name: "Ask first", hint: "Default" },
      { value: "acceptEdits", name: "Edit freely", hint: "Accept edits" },
      { value: "plan", name: "Plan", hint: "" },
    ]);
  });

  it("follow the agent where two agents mean different things by one id", () => {
    expect(listModes("codex", "Codex", [{ id: "auto", name: "Agent" }])[0]?.name).toBe("Edit freely");
    expect(listModes("goose", "Goose", [{ id: "auto", name: "Auto" }])[0]?.name).toBe("Full access");
  });

  it("leave a mode that fits none under the agent's name", () => {
    const modes = [
      { id: "plan", name: "Plan" },
      { id: "chat", name: "Chat only" },
    ];
    expect(listModes("goose", "Goose", modes)).toEqual([
      { value: "plan", name: "Plan", hint: "" },
      { value: "chat", name: "Chat only", group: "Only in Goose" },
    ]);
  });

  it("never give one word to two modes", () => {
    const modes = [
      { id: "default", name: "Default" },
      { id: "ask", name: "Ask" },
    ];
    expect(listModes("x", "X", modes).map(({ name }) => name)).toEqual(["Default", "Ask"]);
  });
});
