import { existsSync, readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { isWhole } from "../enforcement/enforcement.ts";
import { provenEnforcement } from "../testing/proven-enforcement.ts";
import { SandboxedPlace } from "../testing/sandboxed-place.ts";
import { type ClosedPath, findClosedPaths, withClosedPaths } from "./close-paths.ts";

const enforcement = await provenEnforcement();
let place: SandboxedPlace;
beforeEach(() => {
  place = new SandboxedPlace({
    "work/.env": "KEY=1",
    "work/src/a.ts": "old",
    "work/deep/.env": "KEY=2",
    "work/link": { link: "deep/.env" },
    "work/secrets/one/key": "s",
  });
});
afterEach(() => place[Symbol.dispose]());

const at = (name: string) => place.folder.at("work", name);

/** Runs a line with these paths of the workspace closed. */
async function run(command: string, closed: Readonly<Record<string, "hidden" | "read">>) {
  const paths = Object.entries(closed).map(
    ([name, access]): ClosedPath => ({ path: at(name), access, name: access === "read" ? "refused" : "user-rule" }),
  );
  const policy = withClosedPaths(place.policy(), paths);
  const { output, denials } = await place.run({ enforcement, command, policy });
  return { text: output.text, denials: denials.map(({ message }) => message).join("\n") };
}

describe.runIf(isWhole(enforcement))("a closed path", () => {
  it("is hidden from a command, under every name, and the rest of the folder stays writable", async () => {
    const { text } = await run("cat .env link secrets/one/key; printf new > new.txt && cat new.txt src/a.ts", {
      ".env": "hidden",
      link: "hidden",
      secrets: "hidden",
    });
    expect(text).not.toMatch(/KEY|^s$/m);
    expect(text).toContain("newold");
  });

  it("is read-only where a change was refused: it is neither written, removed, renamed nor replaced", async () => {
    const tries =
      "printf x > src/a.ts; rm -f src/a.ts; mv src/a.ts b; sed -i s/old/x/ src/a.ts; mv src other; cat src/a.ts; printf x > src/a.ts";
    const { text, denials } = await run(tries, { "src/a.ts": "read" });
    expect(text).toContain("old");
    expect(readFileSync(at("src/a.ts"), "utf8")).toBe("old");
    expect(denials).toContain("the user refused a change of");
  });

  it.each(["plan.txt", "new/folder/plan.txt"])(
    "cannot be made where a change was refused and it is missing: %s",
    async (name) => {
      await run(`mkdir -p new/folder; printf x > ${name}; sleep 5`, { [name]: "read" });
      expect(existsSync(at(name))).toBe(false);
    },
  );
});

describe("finding closed paths", () => {
  const closure = (access: "hidden" | "read", pattern: RegExp) => ({
    access,
    matches: (path: string) => pattern.test(path),
    path: undefined,
  });

  it("searches the folders, and names a folder as a whole where everything in it is closed", async () => {
    const { paths, isComplete } = await findClosedPaths(
      [place.folder.at("work")],
      [closure("hidden", /\/\.env$/), closure("read", /\/secrets\//)],
    );
    expect(isComplete).toBe(true);
    const name = "user-rule";
    expect(paths).toEqual(
      expect.arrayContaining([
        { path: at(".env"), access: "hidden", name },
        { path: at("deep/.env"), access: "hidden", name },
        { path: at("secrets"), access: "read", name },
      ]),
    );
  });

  it("does not search for a rule that means one path, and says where it gave up", async () => {
    const fixed = { access: "hidden", matches: () => true, path: "/srv/x" } as const;
    expect(await findClosedPaths(["/"], [fixed])).toEqual({
      paths: [{ path: "/srv/x", access: "hidden", name: "user-rule" }],
      isComplete: true,
    });
    expect(await findClosedPaths([place.folder.at("work")], [closure("hidden", /x/)], 2)).toMatchObject({
      isComplete: false,
    });
  });
});
