// The policy and the kernel must agree. Random paths through a tree full of links are decided by the policy, resolved by
// a naive model, and then written by a command in the sandbox for real.
import { existsSync, lstatSync, readlinkSync } from "node:fs";
import { dirname } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { rounds } from "../../../../test/support/rounds.ts";
import { runCommand } from "../run-command/run-command.ts";
import { provenEnforcement } from "../testing/proven-enforcement.ts";
import { TemporaryFolder } from "../testing/temporary-folder.ts";
import { canWrite } from "./can-access.ts";
import { createPolicy } from "./create-policy.ts";
import { isInside } from "./policy.ts";

const entryNames = [
  "work",
  "outside",
  "data",
  "workspace",
  "sub",
  "in",
  "out",
  "up",
  "missing",
  "file",
  "..",
  ".",
  "",
  "dangling",
];
const paths = fc
  .tuple(
    fc.constantFrom("work", "work/in", "outside", "outside/in", "data", "data/workspace"),
    fc.array(fc.constantFrom(...entryNames), { minLength: 1, maxLength: 6 }),
  )
  .map(([start, names]) => `/${start}/${names.join("/")}`);

function tangle(): TemporaryFolder {
  return new TemporaryFolder({
    "work/sub/file": "x",
    "work/in": { link: "sub" },
    "work/out": { link: "../outside" },
    "work/sub/up": { link: "../.." },
    "work/dangling": { link: "../outside/missing" },
    "work/sub/dangling": { link: "../missing/file" },
    "outside/in": { link: "../work/sub" },
    "outside/sub/out": { link: "../../work/out" },
    "outside/file": "x",
    "data/workspace/sub": null,
    "data/workspace/up": { link: ".." },
    "data/file": "secret",
    "data/in": { link: "../work" },
    home: null,
    temp: null,
  });
}

function policyFor(folder: TemporaryFolder) {
  return createPolicy({
    mode: "sandbox",
    network: "off",
    workspaceFolders: [folder.at("work")],
    dataFolder: folder.at("data"),
    homeFolder: folder.at("home"),
    tempFolder: folder.at("temp"),
    platform: "linux",
  });
}

/** Written as differently from the real one as possible: recursive, on whole paths. */
function modelOf(path: string, depth = 0): string {
  if (depth > 40) return "/too/deep";
  if (path === "/" || path === "") return "/";
  const name = path.slice(path.lastIndexOf("/") + 1);
  const parent = modelOf(path.slice(0, path.lastIndexOf("/")), depth + 1);
  if (name === "" || name === ".") return parent;
  if (name === "..") return dirname(parent);
  const here = parent === "/" ? `/${name}` : `${parent}/${name}`;
  const isLink =
    existsSync(parent) &&
    lstatSync(parent).isDirectory() &&
    lstatSync(here, { throwIfNoEntry: false })?.isSymbolicLink();
  if (isLink !== true) return here;
  const target = readlinkSync(here);
  return modelOf(target.startsWith("/") ? target : `${parent}/${target}`, depth + 1);
}

it("fuzzed paths are decided as a naive model decides them", () => {
  using folder = tangle();
  const policy = policyFor(folder);
  fc.assert(
    fc.property(paths, (path) => {
      const real = modelOf(folder.path + path);
      const open = [folder.at("work"), folder.at("data/workspace"), folder.at("temp")].some((root) =>
        isInside(real, root),
      );
      expect(canWrite(policy, folder.path + path)).toMatchObject({ allowed: open, path: real });
    }),
    { numRuns: rounds({ some: 500, all: 2000 }) },
  );
});

it("fuzzed paths are written by a command exactly where the policy allows it", async () => {
  using folder = tangle();
  const policy = policyFor(folder);
  const sample = fc.sample(paths, 1000).filter((path) => !path.endsWith("/") && !path.endsWith("."));
  const decided = new Map(sample.map((path) => [path, canWrite(policy, folder.path + path)]));
  // Only appending, and only to what is or can be a file, so that the tree stays the same for all of them.
  const script = 'for path in "$@"; do if [ ! -d "$path" ] && : >> "$path"; then echo "wrote $path"; fi; done';
  const result = await runCommand({
    enforcement: await provenEnforcement(),
    policy,
    command: ["/bin/bash", "-c", script, "bash", ...sample.map((path) => folder.path + path)],
    cwd: folder.at("work"),
  });
  if (result.ended !== "exit") throw new Error(result.ended);
  const wrote = new Set(
    [...result.output.text.matchAll(/^wrote (.*)$/gm)].map(([, path = ""]) => path.slice(folder.path.length)),
  );
  expect(wrote.size).toBeGreaterThan(5);
  for (const path of wrote) expect(decided.get(path)?.allowed, path).toBe(true);
  for (const [path, decision] of decided) {
    // A link in a hidden folder leads nowhere for a command, which cannot see it.
    const throughHidden = path.includes("/data/");
    const isFile = existsSync(folder.path + path) && lstatSync(decision.path).isFile();
    if (decision.allowed && isFile && !throughHidden) expect(wrote, path).toContain(path);
  }
});
