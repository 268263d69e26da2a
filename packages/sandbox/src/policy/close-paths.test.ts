import { existsSync, linkSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
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
  const policy = withClosedPaths(place.policy(), (await findClosedPaths([at("")], [], paths)).paths);
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

  const exchange = (one: string, other: string) =>
    `python3 -c 'import ctypes; ctypes.CDLL(None).renameat2(-100, b"${one}", -100, b"${other}", 2)'`;

  it.each([
    ["its folder moved", "mv src b && cp evil b/a.ts && mv b src; cp -r src c; cp evil c/a.ts; rm -rf src; mv c src"],
    ["an exchange", `mkdir b; cp evil b/a.ts; ${exchange("b", "src")}; ${exchange("evil", "src/a.ts")}`],
    ["a second name", "ln src/a.ts b; cp evil b; printf x > alias; printf x > .git/alias"],
    ["git", "git init -q; git add -A; git rm -qf src/a.ts; git stash -q; git checkout -q evil; git clean -fdxq"],
    [
      "a descriptor, a mode or a length",
      "exec 5< src/a.ts; printf x > /proc/self/fd/5; chmod 0 src/a.ts; truncate -s 0 src/a.ts",
    ],
  ])("is not changed by way of %s", async (_, command) => {
    writeFileSync(at("evil"), "evil");
    mkdirSync(at(".git"));
    for (const alias of ["alias", ".git/alias"]) linkSync(at("src/a.ts"), at(alias));
    await run(command, { "src/a.ts": "read" });
    expect([readFileSync(at("src/a.ts"), "utf8"), statSync(at("src/a.ts")).mode & 0o777]).toEqual(["old", 0o644]);
  });

  it.each(["file", "way/a.ts", "chain"])("is not replaced where a link leads to it: %s", async (name) => {
    symlinkSync("src/a.ts", at("file"));
    symlinkSync("src", at("way"));
    symlinkSync("file", at("chain"));
    const [first = ""] = name.split("/");
    await run(`cat ${name}; rm -f ${first} file; mkdir -p way; printf x > ${name}; mv evil ${name}`, {
      [name]: "read",
    });
    expect(readFileSync(at(name), "utf8")).toBe("old");
  });

  it.each([
    ["its folder moved", "mv src b; printf x > b/new.ts; mv b src"],
    ["another folder in its place", `mkdir b; printf x > b/new.ts; mv src c; mv b src; ${exchange("b", "src")}`],
    ["a link, a folder or a renamed file", "ln -s a.ts src/new.ts; mkdir src/new.ts; mv .env src/new.ts; sleep 5"],
    [
      "git",
      "git init -q; git add .env; git update-index --add --cacheinfo 100644,$(git rev-parse :.env),src/new.ts; git checkout-index -a; sleep 5",
    ],
  ])("is not made by way of %s", async (_, command) => {
    await run(command, { "src/new.ts": "read" });
    expect(existsSync(at("src/new.ts"))).toBe(false);
  });

  it.each([
    ["its folder moved", "mv deep b; cat b/.env; mv deep/.env x; cat x"],
    ["a second name", "ln deep/.env x; cat x; cat alias; find . -type f -exec cat {} +"],
    ["git or an archive", "git init -q; git add -A; git show :deep/.env; git grep -h --no-index .; tar c deep | cat"],
    ["processes", "cat /proc/self/cwd/deep/.env /proc/1/root$PWD/deep/.env"],
  ])("is not read by way of %s", async (_, command) => {
    linkSync(at("deep/.env"), at("alias"));
    expect((await run(command, { "deep/.env": "hidden" })).text).not.toContain("KEY=2");
  });

  it("is not known to be closed where it has a second name elsewhere", async () => {
    linkSync(at("src/a.ts"), place.folder.at("temp/alias"));
    const refused: ClosedPath = { path: at("src/a.ts"), access: "read", name: "refused" };
    expect(await findClosedPaths([at("")], [], [refused])).toEqual({ paths: [refused], isComplete: false });
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
    expect(await findClosedPaths([place.folder.at("work")], [closure("hidden", /x/)], [], 2)).toMatchObject({
      isComplete: false,
    });
  });
});
