import { describe, expect, it } from "vitest";
import { checkRequest, queries, requests } from "./index.ts";

const query = (name: string, args?: unknown) => checkRequest({ id: 1, control: "tvx.query", name, args });

describe("the arguments of a query", () => {
  it.each([
    ["timeline.list", {}],
    ["search", {}],
    ["threads.list", { limit: "all" }],
    ["threads.list", { limit: -1 }],
    ["elicitations.list", { status: "perhaps" }],
    ["stats", { group_by: ["color"] }],
    ["stats", { utc_offset_minutes: 100_000 }],
    ["blob.get", { hash: 3 }],
  ])("of %s are refused when they are %o", (name, args) => {
    expect(query(name, args)).toMatchObject({ type: "malformed", id: 1 });
  });

  it("may be null where they may be missing, and more than is known", () => {
    expect(query("threads.list", { limit: 5, cursor: null, agent_id: "demo", color: "red" })).toEqual({
      type: "query",
      id: 1,
      name: "threads.list",
      params: { limit: 5, cursor: null, agent_id: "demo" },
    });
  });

  it("may be left out", () => {
    expect(query("agents.list")).toMatchObject({ type: "query", params: {} });
  });
});

describe("a request", () => {
  it("has its parameters beside its name", () => {
    expect(checkRequest({ id: "a", control: "run.cancel", thread_id: "t", more: 1 })).toEqual({
      type: "request",
      id: "a",
      name: "run.cancel",
      params: { thread_id: "t" },
    });
  });

  it.each([
    [{ id: 3, control: "nothing.known" }, 'There is no request "nothing.known".'],
    [{ id: 3, control: "toString" }, 'There is no request "toString".'],
    [{ id: 3 }, "There is no request undefined."],
    [{ id: 3, control: "tvx.query", name: "run.cancel" }, 'There is no query "run.cancel".'],
  ])("that nothing answers is refused: %o", (message, problem) => {
    expect(checkRequest(message)).toEqual({ type: "malformed", id: 3, problem });
  });

  it.each([null, 3, "text"])("is an object, not %o", (message) => {
    expect(checkRequest(message)).toMatchObject({ type: "malformed", problem: "A request is a JSON object." });
  });

  it.each([
    { control: "session.set_config_option", thread_id: "t", config_id: "c", value: nested(501) },
    { control: "run.submit", thread_id: "t", prompt_id: "p", prompt: [{ type: "text", _meta: nested(501) }] },
    { control: "session.create", agent_id: "a", cwd: "/w", mcp_servers: [{ name: "m", env: nested(501) }] },
    {
      control: "elicitation.respond",
      thread_id: "t",
      elicitation_id: "e",
      action: "accept",
      content: { a: nested(501) },
    },
    { control: "config.edit", changes: [{ path: ["editor"], value: nested(501) }] },
  ])("is refused where its open values are nested too deep: $control", (message) => {
    expect(checkRequest(message)).toMatchObject({ type: "malformed" });
  });

  it("is read where a field that nothing reads is nested too deep", () => {
    expect(checkRequest({ control: "tvx.ping", more: nested(100_000) })).toMatchObject({ type: "request", params: {} });
  });

  it("can save a rule of the length that an answer can remember", () => {
    const rule = "command:".padEnd(60_000, "x");
    const answer = { control: "permission.respond", thread_id: "t", permission_id: "p", option_id: "o", rule };
    expect(checkRequest(answer)).toMatchObject({ type: "request" });
    expect(checkRequest({ control: "rules.save", decision: "allow", match: rule })).toMatchObject({ type: "request" });
  });
});

it("no name is both a request and a query", () => {
  expect(Object.keys(requests).filter((name) => name in queries)).toEqual([]);
});

it.each(Object.entries({ ...requests, ...queries }))(
  "%s is described in a sentence of at most 30 words",
  (_name, { about }) => {
    expect(about).toMatch(/^[A-Z].*\.$/);
    expect(about.split(" ").length).toBeLessThanOrEqual(30);
  },
);

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level++) value = [value];
  return value;
}
