import { expect, it } from "vitest";
import { z } from "zod";
import { key } from "./config-key.ts";
import { visitKeys } from "./describe-keys.ts";
import { choose, lower, never, onlyTrue, type ProjectPolicy, stricter } from "./project-policy.ts";

const keys = visitKeys().flatMap(({ key: name, node, about }) => (about.type === "key" ? [{ name, node, about }] : []));

function decide<Written>(policy: ProjectPolicy<Written>, user: Written | undefined, project: Written) {
  const ignored: string[] = [];
  return { value: policy.decide(user, project, (reason) => ignored.push(reason)), ignored };
}

it("cannot declare a key without a project policy", () => {
  // @ts-expect-error: the policy is missing.
  expect(() => key(z.string(), { help: "A key." })).toThrow();
});

it.each(keys.map(({ name, about }) => [name, about.project]))(
  "says what a project may do with %s",
  (_name, project) => {
    expect(project).toMatch(/^(?:–|choose|add: .+|tighten(?:: .+)?)$/);
  },
);

it.each(keys.filter(({ about }) => about.project === "–").map(({ name, node }) => [name, node] as const))(
  "ignores a project's %s, and says so",
  (_name, node) => {
    const ignored: string[] = [];
    const merged = node.merge(undefined as never, {} as never, (reason) => ignored.push(reason));
    expect(merged).toEqual(node.merge(undefined as never, undefined as never, () => {}));
    expect(ignored).toEqual([expect.stringMatching(/^it /)]);
  },
);

it("lets a project choose only what decides nothing about rights, keys or money", () => {
  expect(keys.filter(({ about }) => about.project === "choose").map(({ name }) => name)).toEqual([
    "$schema",
    "provider",
    "providers.<name>.api",
    "providers.<name>.model",
    "providers.<name>.model_fast",
    "providers.<name>.model_complex",
    "providers.<name>.max_output_tokens",
    "providers.<name>.context_window",
    "worktree.setup",
    "diagnostics",
  ]);
});

const modes = stricter(["rx", "sandbox", "off"]);

it.each([
  ["never", decide(never("it would"), 1, 2), { value: 1, ignored: ["it would"] }],
  ["never, unset", decide(never("it would"), undefined, 2), { value: undefined, ignored: ["it would"] }],
  ["choose", decide(choose(), 1, 2), { value: 2, ignored: [] }],
  ["lower", decide(lower, 5, 3), { value: 3, ignored: [] }],
  ["lower, unset", decide(lower, undefined, 3), { value: 3, ignored: [] }],
  ["lower, more", decide(lower, 5, 7), { value: 5, ignored: ["7 is more than 5"] }],
  ["onlyTrue", decide(onlyTrue("it would"), false, true), { value: true, ignored: [] }],
  ["onlyTrue, off", decide(onlyTrue("it would"), true, false), { value: true, ignored: ["it would"] }],
  ["stricter", decide(modes, "off", "rx"), { value: "rx", ignored: [] }],
  ["stricter, looser", decide(modes, "rx", "off"), { value: "rx", ignored: ["off is looser than rx"] }],
  [
    "stricter, unknown",
    decide<string>(stricter<string>(["rx"]), "rx", "free"),
    { value: "rx", ignored: ["free is looser than rx"] },
  ],
])("decides %s", (_name, decided, expected) => {
  expect(decided).toEqual(expected);
});
