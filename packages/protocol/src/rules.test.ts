import { describe, expect, it } from "vitest";
import { formatRule, parseRule, ruleFor } from "./rules.ts";

describe("permission rules as text", () => {
  it.each(["all", "kind:edit", "command:git *", "kind:edit,path:src/**", "agent:demo,command:echo a\\,b"])(
    "%s means the same after parsing and writing",
    (text) => {
      const rule = parseRule(text);
      expect(rule).not.toBeNull();
      expect(formatRule(rule ?? [])).toBe(text);
    },
  );

  it.each(["", "kind:", "kindedit", "kind:edit,", "colour:red", "ALL"])("%j is no rule", (text) => {
    expect(parseRule(text)).toBeNull();
  });

  it("the rule of a remembered answer covers exactly what was asked", () => {
    const call = { kind: "execute", name: "bash", title: "x", raw_input: { command: "rm *.log" }, locations: [] };
    expect(ruleFor(call, "demo")).toBe("agent:demo,command:rm \\*.log");
    const edit = { ...call, kind: "edit", raw_input: {}, locations: [{ path: "/w/a.ts", line: 3 }] };
    expect(ruleFor(edit, "demo")).toBe("agent:demo,kind:edit,path:/w/a.ts");
    expect(ruleFor({ ...call, raw_input: null }, "demo")).toBe("agent:demo,tool:bash");
    expect(ruleFor({ ...call, raw_input: null, name: null, kind: "fetch" }, "demo")).toBe("agent:demo,kind:fetch");
  });
});
