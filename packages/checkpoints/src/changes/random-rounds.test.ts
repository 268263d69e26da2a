// Checks checkpoints and restores against a model of plain copies: random rounds of edits by a tool, by a shell, by a person, of restores, and
// of kill -9 of the process that keeps the files, at any operation. SIGNALBOX_ROUNDS=1000 runs more of them, SIGNALBOX_SEED=N others.
import { type ChildProcess, execFileSync, fork } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ChangeRow, RestoreResult, TurnRow } from "@signalbox/protocol";
import { findHelper } from "@signalbox/sandbox";
import { build } from "esbuild";
import { beforeAll, expect, it, onTestFinished } from "vitest";
import { rounds } from "../../../../test/support/rounds.ts";
import { fromText } from "./paths.ts";
import type { ChildAnswer, ChildRequest } from "./testing/checkpoint-child.ts";

const roundCount = Number(process.env.SIGNALBOX_ROUNDS ?? rounds({ some: 20, all: 1000 }));
const seed = Number(process.env.SIGNALBOX_SEED ?? 17);
/** A request has fewer operations than this, as a rule; the process is killed after the last one then. */
const maxKillAt = 12;

/** Type, permission bits and content of every file, by the bytes of its path. */
type Copy = ReadonlyMap<string, string>;

const paths = ["a", "b", "d/a", "d/b", "d/e/a", "f", "f/a", "A", "bad\xff", "new\nline", "d/ä ö", "x.log", "big"];
const bundleFolder = mkdtempSync(join(tmpdir(), "signalbox-child-"));
const bundle = join(bundleFolder, "checkpoint-child.mjs");

beforeAll(async () => {
  // One file starts several times faster than sixty.
  await build({
    entryPoints: [join(import.meta.dirname, "testing/checkpoint-child.ts")],
    outfile: bundle,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node24",
    logLevel: "error",
  });
  return () => rmSync(bundleFolder, { recursive: true, force: true });
});

/** The process that keeps the files. It is started again after a kill. */
class Keeper {
  readonly #args: readonly string[];
  #child: ChildProcess | null = null;

  constructor(args: readonly string[]) {
    this.#args = args;
  }

  /** Undefined when the process was killed before it answered. */
  async ask(request: ChildRequest): Promise<unknown> {
    this.#child ??= fork(bundle, this.#args, { execArgv: ["--no-warnings"] });
    const child = this.#child;
    const answered = Promise.withResolvers<ChildAnswer>();
    const onClose = () => {
      this.#child = null;
      if (child.signalCode === "SIGKILL") answered.resolve({ result: undefined });
      else answered.reject(new Error(`it ended with ${child.exitCode}`));
    };
    child.once("message", answered.resolve).once("close", onClose);
    child.send(request);
    const answer = await answered.promise.finally(() => child.off("message", answered.resolve).off("close", onClose));
    if ("error" in answer) throw new Error(answer.error);
    return answer.result;
  }

  async kill(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null) return;
    const closed = once(child, "close");
    child.kill("SIGKILL");
    await closed;
  }
}

class World {
  readonly root = mkdtempSync(join(tmpdir(), "signalbox-rounds-"));
  readonly folder = join(this.root, "project");
  /** Edits follow links to it, as programs do: it must be a file of this test. */
  readonly outside = join(this.root, "outside");
  readonly #random: () => number;
  readonly keeper: Keeper;
  /** The folder when each turn or restore began and when it ended, in order; for a turn that was killed, as it was found afterwards. */
  readonly points: { readonly turnId: string; readonly before: Copy; after: Copy; wasKilled: boolean }[] = [];
  #turns = 0;

  constructor(random: () => number, isWatched: boolean) {
    this.#random = random;
    const register = join(this.root, "register.db");
    const data = join(this.root, "data");
    this.keeper = new Keeper([register, data, this.folder, isWatched ? (findHelper() ?? "") : ""]);
    mkdirSync(this.folder, { recursive: true });
    writeFileSync(this.outside, "outside\n");
  }

  pick<Item>(items: readonly [Item, ...Item[]]): Item {
    return items[Math.floor(this.#random() * items.length)] ?? items[0];
  }

  /** Changes some files, as anybody could. */
  edit(): void {
    for (let count = 1 + Math.floor(this.#random() * 4); count > 0; count--) {
      const path = this.at(this.pick(["a", ...paths]));
      const other = this.at(this.pick(["a", ...paths]));
      const act = this.pick(["write", "write", "write", "append", "remove", "rename", "mode", "link", "shell"]);
      try {
        if (act === "remove") rmSync(path, { recursive: true, force: true });
        else if (act === "rename") renameSync(path, other);
        else if (act === "mode") chmodSync(path, this.pick([0o644, 0o600, 0o755, 0o640, 0o444]));
        else {
          mkdirSync(dirname(path.toString("latin1")) === "" ? path : folderOf(path), { recursive: true });
          const text = `${this.#random()}\n`.repeat(1 + Math.floor(this.#random() * 5));
          if (act === "link") symlinkSync(this.pick(["a", "missing", this.outside]), path);
          else if (act === "shell")
            execFileSync(
              "bash",
              ["-c", 'mv "$1" "$1.old" 2>/dev/null; echo $RANDOM > d/s; rm -f "$1.old"', "sh", "a"],
              { cwd: this.folder, stdio: "ignore" },
            );
          else writeFileSync(path, text, { flag: act === "append" ? "a" : "w" });
        }
      } catch {
        // It is not there, or is a folder: then this edit does nothing.
      }
    }
  }

  at(path: string): Buffer {
    return Buffer.concat([Buffer.from(`${this.folder}/`), Buffer.from(path, path === "d/ä ö" ? "utf8" : "latin1")]);
  }

  copy(): Copy {
    const found = new Map<string, string>();
    const collect = (folder: Buffer, prefix: string) => {
      for (const name of readdirSync(folder, { encoding: "buffer" })) {
        const path = Buffer.concat([folder, Buffer.from("/"), name]);
        const key = prefix + name.toString("latin1");
        const status = lstatSync(path);
        if (key === ".git") continue;
        if (status.isDirectory()) collect(path, `${key}/`);
        else if (status.isSymbolicLink()) found.set(key, `link ${readlinkSync(path)}`);
        else found.set(key, `${(status.mode & 0o7777).toString(8)} ${readFileSync(path, "latin1")}`);
      }
    };
    collect(Buffer.from(this.folder), "");
    return found;
  }

  async turn(): Promise<void> {
    const turnId = `turn-${++this.#turns}`;
    await this.keeper.ask({ action: "before", turnId });
    const point = this.#addPoint(turnId);
    this.edit();
    await this.keeper.ask({ action: "after", turnId });
    point.after = this.copy();
    expect(await this.#lastTurn()).toMatchObject({
      turn_id: turnId,
      checkpoint: { before: expect.any(String), after: expect.any(String), notice: null },
    });
    const listed = (await this.keeper.ask({ action: "list", turnId })) as readonly ChangeRow[];
    const names = listed
      .flatMap(({ path, old_path }) => (old_path === undefined ? [path] : [path, old_path]))
      .map((path) => fromText(path));
    expect(names.toSorted()).toEqual(
      [...changedPaths(point.before, point.after)].filter((path) => !isIgnored(path)).toSorted(),
    );
  }

  /** A turn in which the process dies: while it keeps the files before or after it, or in between. */
  async killedTurn(): Promise<void> {
    const turnId = `turn-${++this.#turns}`;
    const moment = this.pick(["before", "between", "after"]);
    await this.keeper.ask({ action: "before", turnId, ...this.#killIf(moment === "before") });
    if (moment !== "before") {
      const point = this.#addPoint(turnId);
      this.edit();
      if (moment === "after") await this.keeper.ask({ action: "after", turnId, ...this.#killIf(true) });
      await this.keeper.kill();
      point.after = this.copy();
      // An end that was recorded is the end.
      point.wasKilled = (await this.#lastTurn())?.checkpoint?.found !== undefined;
      return;
    }
    await this.keeper.kill();
    const last = await this.#lastTurn();
    if (last?.turn_id === turnId && last.checkpoint?.before) this.#addPoint(turnId);
  }

  async restore(): Promise<void> {
    const index = Math.floor(this.#random() * this.points.length);
    const target = this.points[index];
    if (target === undefined) return;
    const before = this.copy();
    const { expected, conflicts } = this.#expected(index, before);
    const would = await this.#restoreTo(target.turnId, { dry_run: true });
    expect(Object.fromEntries(this.copy())).toEqual(Object.fromEntries(before));
    const result = await this.#restoreTo(target.turnId);
    expect(would).toEqual({ ...result, turn_id: null });
    expect(Object.fromEntries(this.copy())).toEqual(Object.fromEntries(expected));
    expect(result?.conflicts.map(({ path }) => fromText(path)).toSorted()).toEqual(conflicts.toSorted());
    if (typeof result?.turn_id === "string") this.#addRestore(result.turn_id, before);
  }

  /** A restore in which the process dies: each file is what it was or what it should be. */
  async killedRestore(): Promise<void> {
    const index = Math.floor(this.#random() * this.points.length);
    const target = this.points[index];
    if (target === undefined) return;
    const before = this.copy();
    const { expected } = this.#expected(index, before);
    await this.#restoreTo(target.turnId, {}, this.#killIf(true));
    await this.keeper.kill();
    const after = this.copy();
    for (const path of new Set([...before.keys(), ...expected.keys(), ...after.keys()])) {
      if (path.includes(".signalbox-")) rmSync(this.at(path));
      else expect([before.get(path), expected.get(path)], path).toContain(after.get(path));
    }
    const last = await this.#lastTurn();
    if (last === undefined || last.restored_to === null || last.turn_id === this.points.at(-1)?.turnId) return;
    expect(Object.fromEntries(this.copy())).toEqual(Object.fromEntries(expected));
    this.#addRestore(last.turn_id, before);
  }

  #addPoint(turnId: string): World["points"][number] {
    const before = this.copy();
    const point = { turnId, before, after: before, wasKilled: false };
    this.points.push(point);
    return point;
  }

  #addRestore(turnId: string, before: Copy): void {
    this.points.push({ turnId, before, after: this.copy(), wasKilled: false });
  }

  #killIf(isKilled: boolean): Pick<ChildRequest, "killAt"> {
    return isKilled ? { killAt: 1 + Math.floor(this.#random() * maxKillAt) } : {};
  }

  async #restoreTo(turnId: string, options: { dry_run?: boolean } = {}, kill: Pick<ChildRequest, "killAt"> = {}) {
    const restore = { to_turn_id: turnId, ...options };
    return (await this.keeper.ask({ action: "restore", turnId, restore, ...kill })) as RestoreResult | undefined;
  }

  async #lastTurn(): Promise<TurnRow | undefined> {
    return ((await this.keeper.ask({ action: "turns", turnId: "" })) as readonly TurnRow[])[0];
  }

  /** What a restore should give, from the copies alone. */
  #expected(index: number, now: Copy): { expected: Copy; conflicts: readonly string[] } {
    const own = new Set<string>();
    const foreign = new Set<string>();
    const [target] = this.points.slice(index);
    let last = target?.before ?? now;
    const step = (next: Copy, ...authors: readonly Set<string>[]) => {
      for (const path of changedPaths(last, next)) for (const author of authors) author.add(path);
      last = next;
    };
    for (const { before, after, wasKilled } of this.points.slice(index)) {
      step(before, foreign);
      // A turn that was killed has said nothing since its prompt: anybody may have changed what changed.
      step(after, own, ...(wasKilled ? [foreign] : []));
    }
    step(now, foreign);
    const expected = new Map(now);
    const conflicts: string[] = [];
    const back = new Map<string, string>();
    for (const path of own) {
      const earlier = target?.before.get(path);
      if (isIgnored(path) || earlier === now.get(path)) continue;
      if (foreign.has(path)) conflicts.push(path);
      else if (earlier === undefined) expected.delete(path);
      else back.set(path, earlier);
    }
    // A file cannot come where somebody else's folder is, nor below somebody else's file.
    const isInTheWay = (path: string, other: string) => path.startsWith(`${other}/`) || other.startsWith(`${path}/`);
    const inTheWay = [...back.keys()].filter((path) => [...expected.keys()].some((other) => isInTheWay(path, other)));
    for (const [path, earlier] of back) if (!inTheWay.includes(path)) expected.set(path, earlier);
    conflicts.push(...inTheWay);
    return { expected, conflicts };
  }
}

function changedPaths(before: Copy, after: Copy): ReadonlySet<string> {
  return new Set([...before.keys(), ...after.keys()].filter((path) => before.get(path) !== after.get(path)));
}

/** As `.gitignore` says: also what is in a folder of that name. */
function isIgnored(path: string): boolean {
  return path.split("/").some((name) => name.endsWith(".log"));
}

function folderOf(path: Buffer): Buffer {
  return path.subarray(0, path.lastIndexOf(0x2f));
}

/** The same numbers for the same seed (mulberry32). */
function randomNumbers(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

it.each(["a repository", "a folder without one", "a folder that cannot be watched"])(
  "random rounds in %s give what plain copies would",
  { timeout: 60_000 + roundCount * 5000 },
  async (kind) => {
    const world = new World(randomNumbers(seed + kind.length), kind !== "a folder that cannot be watched");
    onTestFinished(async () => {
      await world.keeper.kill();
      rmSync(world.root, { recursive: true, force: true });
    });
    world.edit();
    writeFileSync(join(world.folder, ".gitignore"), "*.log\n");
    if (kind === "a repository") {
      const commands = "git init -q . && git add -A && git -c user.name=a -c user.email=a@b commit -qm first";
      execFileSync("bash", ["-c", commands], { cwd: world.folder });
    }
    for (let round = 0; round < roundCount / 3; round++) {
      // One in ten is a kill: a process that is started again costs more than what it does.
      const act = world.pick([
        "turn",
        "turn",
        "turn",
        "turn",
        "person",
        "person",
        "restore",
        "restore",
        "restore",
        "kill",
      ]);
      if (act === "person") world.edit();
      else if (act === "restore") await world.restore();
      else if (act === "turn") await world.turn();
      else if (world.pick([true, true, false])) await world.killedTurn();
      else await world.killedRestore();
    }
  },
);
