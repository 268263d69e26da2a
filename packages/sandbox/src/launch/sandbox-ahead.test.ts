// Checks the sandbox that is made before its command is known: it is used only where it is what a new one would be.
import {
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { beforeAll, expect, it } from "vitest";
import { descendants } from "../../../../test/support/processes.ts";
import type { Enforcement } from "../enforcement/enforcement.ts";
import type { PolicySettings } from "../policy/create-policy.ts";
import { EnclosedPlace } from "../testing/enclosed-place.ts";
import { provenEnforcement } from "../testing/proven-enforcement.ts";

let enforcement: Enforcement;
beforeAll(async () => {
  enforcement = await provenEnforcement();
}, 60_000);

/**
 * The first process of a sandbox that waits for its command: it knows the machine's own mounts too. It makes its watches last, and then sleeps: what
 * changes before that is in the sandbox.
 */
function waitingProcess(): number | undefined {
  return descendants().find((pid) => {
    try {
      const open = readdirSync(`/proc/${pid}/fd`).map((name) => readlinkSync(`/proc/${pid}/fd/${name}`));
      const status = readFileSync(`/proc/${pid}/status`, "utf8");
      const isFirst = /^NSpid:\t.*\t1$/m.test(status) && open.some((path) => path.endsWith("/mountinfo"));
      return isFirst && open.includes("anon_inode:inotify") && /^State:\tS/m.test(status);
    } catch {
      return false; // it has ended meanwhile
    }
  });
}

/** A sandbox made ahead. Its process namespace is kept, so that no other one gets its name. */
class Ahead implements Disposable {
  readonly name: string;
  readonly #kept: number;

  private constructor(pid: number) {
    this.#kept = openSync(`/proc/${pid}/ns/pid`, "r");
    this.name = readlinkSync(`/proc/${pid}/ns/pid`);
  }

  /** Runs a command, and waits until there is a sandbox for the next one. */
  static async make(here: EnclosedPlace): Promise<Ahead> {
    const before = waitingProcess();
    await here.run({ enforcement, command: "true" });
    await expect.poll(() => [undefined, before].includes(waitingProcess())).toBe(false);
    return new Ahead(waitingProcess() ?? 0);
  }

  [Symbol.dispose](): void {
    closeSync(this.#kept);
  }
}

const tree = {
  "home/.netrc": "secret",
  "work/.mcp.json": "{}",
  "work/sub/file": "",
  "work/.git/config": "[core]\n\tbare = false\n",
  "work/.git/hooks": null,
};

it("runs the next command, in its own folder and with its own variables, and only one", async () => {
  using here = new EnclosedPlace(tree);
  using ahead = await Ahead.make(here);
  const command = "readlink /proc/self/ns/pid; pwd; echo $A$B; cat ../home/.netrc; echo x >.mcp.json";
  const run = async (variable: string) =>
    await here.run({ enforcement, command, cwd: here.folder.at("work/sub"), env: { [variable]: variable } });
  const [first, second] = [await run("A"), await run("B")];
  expect(first.output.text).toContain(`${ahead.name}\n${here.folder.at("work/sub")}\nA\n`);
  expect(second.output.text).toContain(`${here.folder.at("work/sub")}\nB\n`);
  expect(second.output.text).not.toContain(ahead.name);
  for (const { output } of [first, second]) expect(output.text).not.toContain("secret");
});

function replace(path: string, text: string): void {
  writeFileSync(`${path}.new`, text);
  renameSync(`${path}.new`, path);
}

it.each<
  [string, (here: EnclosedPlace) => void, command: string, says: string | RegExp, more?: Partial<PolicySettings>]
>([
  [
    "a hidden file was replaced",
    (here) => replace(here.folder.at("home/.netrc"), "newer"),
    "cat ../home/.netrc",
    /^(?![^]*newer)/,
  ],
  [
    "a hidden file was made",
    (here) => writeFileSync(here.folder.at("home/.pgpass"), "newer"),
    "cat ../home/.pgpass",
    /^(?![^]*newer)/,
  ],
  [
    "a guarded file was replaced",
    (here) => replace(here.folder.at("work/.mcp.json"), "[]"),
    "echo x >.mcp.json",
    /Read-only/,
  ],
  [
    "the settings of git were replaced",
    (here) => replace(here.folder.at("work/.git/config"), "[core]\n\tbare = false\n[user]\n\tname = newer\n"),
    "cat .git/config",
    "newer",
  ],
  [
    "a folder that it may read was made",
    (here) => {
      mkdirSync(here.folder.at("data/skills"));
      writeFileSync(here.folder.at("data/skills/a"), "skilled");
    },
    "cat ../data/skills/a",
    "skilled",
  ],
  [
    "the workspace was replaced",
    (here) => {
      renameSync(here.folder.at("work"), here.folder.at("old"));
      mkdirSync(here.folder.at("work"));
      writeFileSync(here.folder.at("work/other"), "replaced");
    },
    "cat other",
    "replaced",
  ],
  ["the mode is another one", () => {}, "echo x >new", /Read-only/, { mode: "rx" }],
])("is not used after %s", async (_, change, command, says, more = {}) => {
  using here = new EnclosedPlace(tree);
  using ahead = await Ahead.make(here);
  change(here);
  const { output } = await here.run({ enforcement, command: `readlink /proc/self/ns/pid; ${command}` }, more);
  expect(output.text).toMatch(says);
  expect(output.text).not.toContain(ahead.name);
});
