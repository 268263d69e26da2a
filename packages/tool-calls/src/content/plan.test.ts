import { describe, expect, it } from "vitest";
import { planFromTodos } from "./plan.ts";

describe("planFromTodos", () => {
  it("makes entries of todos", () => {
    const todos = [
      { content: "Read", status: "completed" },
      { content: "Write", status: "in_progress", priority: "high" },
      { content: "Test", status: "pending", priority: "low" },
    ];
    expect(planFromTodos({ todos })).toEqual({
      entries: [
        { content: "Read", priority: "medium", status: "completed" },
        { content: "Write", priority: "high", status: "in_progress" },
        { content: "Test", priority: "low", status: "pending" },
      ],
    });
  });

  it("skips entries without text or status", () => {
    const todos = [
      { content: "a" },
      { status: "pending" },
      { content: " ", status: "pending" },
      null,
      "x",
      { content: 3, status: "pending" },
    ];
    expect(planFromTodos({ todos })).toEqual({ entries: [] });
  });

  it("takes an unknown status as pending and an unknown priority as medium", () => {
    expect(planFromTodos({ todos: [{ content: "a", status: "blocked", priority: "urgent" }] })).toEqual({
      entries: [{ content: "a", priority: "medium", status: "pending" }],
    });
  });

  it.each([undefined, null, {}, { todos: "x" }, []])("is nothing when there is no list: %o", (args) => {
    expect(planFromTodos(args)).toBeUndefined();
  });
});
