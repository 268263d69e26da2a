// Checks checkpoints and restores against a model of plain copies: random rounds of edits by a tool, by a shell, by a person, of restores and of
// kills. SIGNALBOX_ROUNDS=1000 runs more of them, SIGNALBOX_SEED=N others.
import { execFileSync } from "node:child_process";
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
import { openRegister, type Register } from "@signalbox/tinyvex";
import { expect, it, onTestFinished } from "vitest";
import { rounds } from "../../../../test/support/rounds.ts";
import { CheckpointPool } from "./checkpoint-pool.ts";
import { listChanges } from "./list-changes.ts";
import { fromText } from "./paths.ts";
import { restoreChanges } from "./restore-changes.ts";
import { TurnCheckpoints } from "./turn-checkpoints.ts";

const roundCount = Number(process.env.SIGNALBOX_ROUNDS ?? rounds({ some: 15, all: 60 }));
const seed = Number(process.env.SIGNALBOX_SEED ?? 17);

/** Type, permission bits and content of every file, by the bytes of its path. */
type Copy = ReadonlyMap<string, string>;

const paths = ["a", "b", "d/a", "d/b", "d/e/a", "f", "f/a", "A", "bad\xff", "new\nline", "d/ä ö", "x.log", "big"];

class World {
  readonly root = mkdtempSync(join(tmpdir(), "signalbox-rounds-"));
  readonly folder = join(this.root, "project");
  /** Edits follow links to it, as programs do: it must be a file of this test. */
  readonly outside = join(this.root, "outside");
  readonly #random: () => number;
  readonly #isWatched: boolean;
  readonly register: Register;
  threadId = "";
  pool: CheckpointPool;
  /** The folder when each turn or restore began and when it ended, in order; a turn that was killed has no end. */
  readonly points: { readonly turnId: string; readonly before: Copy; after: Copy | null }[] = [];
  #turns = 0;

  constructor(register: Register, random: () => number, isWatched: boolean) {
    this.#isWatched = isWatched;
    this.register = register;
    this.#random = random;
    this.pool = this.#openPool();
    mkdirSync(this.folder, { recursive: true });
    writeFileSync(this.outside, "outside\n");
  }

  /** Without a watch, all files are looked at, however long that takes. */
  #openPool(): CheckpointPool {
    const data = join(this.root, "data");
    return this.#isWatched
      ? new CheckpointPool(data)
      : new CheckpointPool(data, { helper: undefined, promptScanMs: 60_000 });
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
              { cwd: this.folder },
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

  async turn(isKilled: boolean): Promise<void> {
    const { register, threadId } = this;
    const turnId = `turn-${++this.#turns}`;
    const thread = await register.getThread(threadId);
    if (thread === null) throw new Error("no thread");
    const checkpoints = new TurnCheckpoints(register, this.pool, thread);
    register.append(threadId, {
      type: "fact",
      fact: { type: "turn_queued", turn_id: turnId, prompt_id: turnId, prompt: [] },
    });
    register.append(threadId, { type: "fact", fact: { type: "turn_started", turn_id: turnId } });
    await checkpoints.before(turnId);
    const point: World["points"][number] = { turnId, before: this.copy(), after: null };
    this.points.push(point);
    this.edit();
    if (isKilled) {
      this.pool.close();
      this.pool = this.#openPool();
      register.append(threadId, {
        type: "fact",
        fact: { type: "turn_interrupted", turn_id: turnId, reason: "killed" },
      });
    } else {
      await checkpoints.after(turnId);
      register.append(threadId, {
        type: "fact",
        fact: { type: "turn_ended", turn_id: turnId, stop_reason: "end_turn" },
      });
      point.after = this.copy();
    }
    await register.settled(threadId);
    checkpoints.close();
    const { rows } = await register.query("turns.list", { thread_id: threadId, limit: 1 });
    expect(rows[0]?.checkpoint).toMatchObject({ before: expect.any(String), notice: null });
    if (isKilled) return;
    const listed = await listChanges({ register, checkpoints: this.pool }, { thread_id: threadId, turn_id: turnId });
    const names = listed
      .flatMap(({ path, old_path }) => (old_path === undefined ? [path] : [path, old_path]))
      .map((path) => fromText(path));
    expect(names.toSorted()).toEqual(
      [...changedPaths(point.before, point.after ?? new Map())].filter((path) => !path.endsWith(".log")).toSorted(),
    );
  }

  async restore(): Promise<void> {
    const index = Math.floor(this.#random() * this.points.length);
    const target = this.points[index];
    const thread = await this.register.getThread(this.threadId);
    if (target === undefined || thread === null) return;
    const before = this.copy();
    const { expected, conflicts } = this.#expected(index, before);
    const services = { register: this.register, checkpoints: this.pool };
    const would = await restoreChanges(services, thread, { to_turn_id: target.turnId, dry_run: true });
    expect(Object.fromEntries(this.copy())).toEqual(Object.fromEntries(before));
    const result = await restoreChanges(services, thread, { to_turn_id: target.turnId });
    expect(would).toEqual({ ...result, turn_id: null });
    expect(Object.fromEntries(this.copy())).toEqual(Object.fromEntries(expected));
    expect(result.conflicts.map(({ path }) => fromText(path)).toSorted()).toEqual(conflicts.toSorted());
    if (result.turn_id !== null) this.points.push({ turnId: result.turn_id, before, after: this.copy() });
  }

  /** What a restore should give, from the copies alone. */
  #expected(index: number, now: Copy): { expected: Copy; conflicts: readonly string[] } {
    const own = new Set<string>();
    const foreign = new Set<string>();
    const [target] = this.points.slice(index);
    let last = target?.before ?? now;
    let isOpen = false;
    const step = (next: Copy, isOwn: boolean) => {
      for (const path of changedPaths(last, next)) (isOwn ? own : foreign).add(path);
      last = next;
    };
    for (const { before, after } of this.points.slice(index)) {
      step(before, isOpen);
      isOpen = after === null;
      if (after !== null) step(after, true);
    }
    step(now, isOpen);
    const expected = new Map(now);
    const conflicts: string[] = [];
    const back = new Map<string, string>();
    for (const path of own) {
      const earlier = target?.before.get(path);
      if (path.endsWith(".log") || earlier === now.get(path)) continue;
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
    const random = randomNumbers(seed + kind.length);
    const place = mkdtempSync(join(tmpdir(), "signalbox-register-"));
    const register = await openRegister({ path: join(place, "register.db") });
    const world = new World(register, random, kind !== "a folder that cannot be watched");
    onTestFinished(async () => {
      world.pool.close();
      await register.close();
      for (const folder of [place, world.root]) rmSync(folder, { recursive: true, force: true });
    });
    world.edit();
    writeFileSync(join(world.folder, ".gitignore"), "*.log\n");
    if (kind === "a repository") {
      const commands = "git init -q . && git add -A && git -c user.name=a -c user.email=a@b commit -qm first";
      execFileSync("bash", ["-c", commands], { cwd: world.folder });
    }
    world.threadId = (await register.createThread({ agent_id: "fake", cwd: world.folder })).id;
    for (let round = 0; round < roundCount / 3; round++) {
      const act = world.pick(["turn", "turn", "turn", "person", "kill", "restore", "restore"]);
      if (act === "person") world.edit();
      else if (act === "restore") await world.restore();
      else await world.turn(act === "kill");
    }
  },
);
