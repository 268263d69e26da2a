// What the policy promises about real paths, mode by mode.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createPolicy, type PolicySettings } from "./create-policy.ts";
import { decide, findRule } from "./decide.ts";
import { fold, isInside, type Rule } from "./policy.ts";

const settings: PolicySettings = {
  mode: "sandbox",
  network: "off",
  workspaceFolders: ["/nowhere/work"],
  dataFolder: "/nowhere/home/.signalbox",
  homeFolder: "/nowhere/home",
  tempFolder: "/nowhere/temp",
  writable: ["/nowhere/extra"],
  platform: "linux",
};
const writes = (mode: PolicySettings["mode"], path: string, more: Partial<PolicySettings> = {}) =>
  decide(createPolicy({ ...settings, ...more, mode }), path, "write");
const reads = (path: string) => decide(createPolicy(settings), path, "read");

describe("writing", () => {
  it.each([
    ["/nowhere/work", "workspace"],
    ["/nowhere/work/src/a.ts", "workspace"],
    ["/nowhere/temp/x", "temp"],
    ["/nowhere/extra/x", "configured"],
    ["/nowhere/home/.signalbox/workspace/x", "data-workspace"],
  ])("in sandbox mode %s is open", (path, rule) => {
    expect(writes("sandbox", path)).toEqual({ allowed: true, path, rule });
  });

  it.each([
    ["/nowhere/workshop/x", "everything-else"],
    ["/nowhere/x", "everything-else"],
    ["/nowhere/home/notes", "home"],
    ["/etc/passwd", "system-folder"],
    ["/usr/bin/env", "system-folder"],
    ["/proc/self/mem", "system-folder"],
    ["/nowhere/home/.signalbox/signalbox.db", "own-data"],
    ["/nowhere/home/.signalbox/config.json", "own-data"],
    ["/nowhere/home/.signalbox/skills/x", "skills"],
    ["/nowhere/home/.bashrc", "home"],
    ["/nowhere/home/.ssh/authorized_keys", "home"],
    ["/nowhere/work/.git/hooks/pre-commit", "git-internals"],
    ["/nowhere/work/.git/config", "git-internals"],
    ["/nowhere/work/vendor/lib/.git/hooks/pre-commit", "git-internals"],
    ["/nowhere/work/.git/modules/lib/hooks/x", "git-internals"],
    ["/nowhere/work/.signalbox/config.json", "project-settings"],
    ["/nowhere/work/.mcp.json", "project-settings"],
  ])("in sandbox mode %s is closed", (path, rule) => {
    expect(writes("sandbox", path)).toMatchObject({ allowed: false, path, rule });
  });

  it("in rx mode the workspace is read-only and the rest as in sandbox mode", () => {
    expect(writes("rx", "/nowhere/work/a")).toMatchObject({ allowed: false, rule: "workspace" });
    expect(writes("rx", "/nowhere/temp/a").allowed).toBe(true);
    expect(writes("rx", "/nowhere/extra/a").allowed).toBe(true);
  });

  it("in rx mode a workspace inside the temp folder is read-only too", () => {
    expect(writes("rx", "/nowhere/temp/work/a", { workspaceFolders: ["/nowhere/temp/work"] }).allowed).toBe(false);
  });

  it("in rwx mode everything is open but the protected paths", () => {
    expect(writes("rwx", "/nowhere/anything").allowed).toBe(true);
    expect(writes("rwx", "/nowhere/work/.git/hooks/pre-commit").allowed).toBe(true);
    for (const path of ["/etc/passwd", "/nowhere/home/.zshenv", "/nowhere/home/.ssh/x", "/nowhere/home/.signalbox/x"]) {
      expect(writes("rwx", path)).toMatchObject({ allowed: false, path });
    }
  });

  it("protection holds in other letters, permission does not", () => {
    expect(writes("rwx", "/ETC/passwd").allowed).toBe(false);
    expect(writes("rwx", "/nowhere/home/.SSH/x").allowed).toBe(false);
    expect(writes("sandbox", "/nowhere/WORK/x").allowed).toBe(false);
  });

  it("a folder of the home folder that a person opens is open, but for what shells and editors obey in it", () => {
    const more = { writable: ["/nowhere/home/.config"] };
    expect(writes("sandbox", "/nowhere/home/.config/app/a", more).allowed).toBe(true);
    expect(writes("sandbox", "/nowhere/home/.config/autostart/a", more)).toMatchObject({ rule: "shell-start-up" });
    expect(writes("sandbox", "/nowhere/home/.bashrc", more)).toMatchObject({ rule: "home" });
  });

  it("a folder inside a protected one cannot be made writable, and the policy says so", () => {
    const policy = createPolicy({ ...settings, writable: ["/etc/app", "/nowhere/home/.signalbox/mine"] });
    expect(policy.ignored.map(({ path, because }) => [path, because.name])).toEqual([
      ["/etc/app", "system-folder"],
      ["/nowhere/home/.signalbox/mine", "own-data"],
    ]);
    expect(decide(policy, "/etc/app/x", "write").allowed).toBe(false);
  });
});

describe("reading", () => {
  it.each(["/etc/passwd", "/nowhere/work/.git/config", "/nowhere/home/.signalbox/skills/x"])("%s is open", (path) =>
    expect(reads(path).allowed).toBe(true),
  );

  it.each([
    "/nowhere/home/.signalbox",
    "/nowhere/home/.signalbox/signalbox.db",
    "/nowhere/home/.signalbox/run/pids",
    "/nowhere/home/.ssh/id_ed25519",
    "/nowhere/home/signalbox-open/1.html",
    "/nowhere/home/.aws/credentials",
    "/nowhere/home/.codex/auth.json",
    "/nowhere/home/.npmrc",
    "/nowhere/home/.claude.json",
    "/nowhere/home/.pgpass",
    "/nowhere/home/.my.cnf",
    "/nowhere/home/.bash_history",
    "/nowhere/home/.local/share/fish/fish_history",
    "/nowhere/home/.bashrc",
    "/nowhere/home/notes",
    ...(process.getuid?.() === 0 ? ["/etc/shadow"] : []),
  ])("%s is closed", (path) => expect(reads(path).allowed).toBe(false));

  it("the inside of a running process is closed, in every mode", () => {
    for (const path of ["/proc/1/environ", "/proc/4321/fd/3", "/proc/4321/root/etc/hosts"])
      for (const mode of ["sandbox", "rx", "rwx"] as const)
        expect(decide(createPolicy({ ...settings, mode }), path, "read")).toMatchObject({ rule: "process-data" });
    expect(reads("/proc/meminfo").allowed).toBe(true);
  });
});

it("a denial names the path and the rule in one line", () => {
  const decision = writes("sandbox", "/etc/passwd");
  expect(decision).toMatchObject({
    message: "writing /etc/passwd is not allowed: /etc belongs to the system (rule system-folder, mode sandbox)",
  });
  expect(writes("sandbox", "/nowhere/x")).toMatchObject({
    message: expect.stringMatching(
      /only these folders are writable: \/nowhere\/work, \/nowhere\/temp, \/nowhere\/extra/,
    ),
  });
});

it("a denial says of a folder with protected paths in it that commands may be unable to make new entries there", () => {
  const inTemp = { dataFolder: "/nowhere/temp/data" };
  expect(writes("sandbox", "/nowhere/x", inTemp)).toMatchObject({
    message: expect.stringMatching(/writable: \/nowhere\/work, \/nowhere\/temp \(protected paths are in it: /),
  });
});

describe("the rule for a path", () => {
  const strictness = { hidden: 0, read: 1, write: 2 };
  /** As it is defined: what takes away holds in any letter case; the longest path counts, then the stricter rule, then the first. */
  const byDefinition = (rules: readonly Rule[], path: string): Rule | undefined =>
    rules
      .filter((rule) => (rule.access === "write" ? isInside(path, rule.path) : isInside(fold(path), fold(rule.path))))
      .toSorted((a, b) => b.path.length - a.path.length || strictness[a.access] - strictness[b.access])[0];
  const paths = fc
    .array(fc.constantFrom("a", "A", "ab", "ſ", "s"), { maxLength: 4 })
    .map((names) => `/${names.join("/")}`);
  const rules = fc.array(
    fc.record({
      path: paths,
      access: fc.constantFrom("hidden", "read", "write"),
      name: fc.constantFrom("workspace", "temp", "credentials"),
    }),
    { maxLength: 12 },
  );

  it("is the most specific one, found by the path and not by trying all rules", () => {
    fc.assert(
      fc.property(rules, paths, (all: readonly Rule[], path) => {
        const expected = byDefinition(all, path) ?? { path: "/", access: "hidden", name: "everything-else" };
        expect(findRule({ rules: all }, path)).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });

  it("hides what is no absolute path", () => {
    const all: readonly Rule[] = [{ path: "/", access: "write", name: "workspace" }];
    for (const path of ["", "a", "a/b"]) expect(findRule({ rules: all }, path).access).toBe("hidden");
  });
});
