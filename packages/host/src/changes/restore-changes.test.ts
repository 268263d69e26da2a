// Attacks on `changes.restore`: what another thread does to the folder, or to a file in it, in the middle of a restore leads nowhere else.
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FolderEntries } from "@signalbox/sandbox";
import { openRegister } from "@signalbox/tinyvex";
import { expect, it, onTestFinished, vi } from "vitest";
import { CheckpointPool } from "./checkpoint-pool.ts";
import { limits } from "./guards.ts";
import { restoreChanges } from "./restore-changes.ts";
import { TurnCheckpoints } from "./turn-checkpoints.ts";

/** A thread in `above/sub` whose one turn removed `autostart/evil` and changed `file`. */
async function afterOneTurn() {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "signalbox-restore-")));
  const at = (name: string) => join(base, name);
  mkdirSync(at("above/sub/autostart"), { recursive: true });
  writeFileSync(at("above/sub/autostart/evil"), "evil");
  writeFileSync(at("above/sub/file"), "one");
  const register = await openRegister({ path: at("register.db") });
  const checkpoints = new CheckpointPool(at("data"));
  onTestFinished(async () => {
    checkpoints.close();
    await register.close();
    rmSync(base, { recursive: true, force: true });
  });
  const thread = await register.createThread({ agent_id: "fake", cwd: at("above/sub") });
  const turn = new TurnCheckpoints(register, checkpoints, thread);
  register.append(thread.id, { type: "fact", fact: { type: "turn_queued", turn_id: "t", prompt_id: "t", prompt: [] } });
  register.append(thread.id, { type: "fact", fact: { type: "turn_started", turn_id: "t" } });
  await turn.before("t");
  rmSync(at("above/sub/autostart"), { recursive: true });
  writeFileSync(at("above/sub/file"), "two");
  await turn.after("t");
  register.append(thread.id, { type: "fact", fact: { type: "turn_ended", turn_id: "t", stop_reason: "end_turn" } });
  turn.close();
  await register.settled(thread.id);
  return { at, restore: () => restoreChanges({ register, checkpoints }, thread, { to_turn_id: "t" }), checkpoints };
}

it("puts nothing elsewhere when the thread's folder is replaced by a link meanwhile", async () => {
  const { at, restore, checkpoints } = await afterOneTurn();
  mkdirSync(at("home/.config"), { recursive: true });
  // After the folder was found, and before anything is put back.
  const use = checkpoints.use.bind(checkpoints);
  vi.spyOn(checkpoints, "use").mockImplementation((cwd) => {
    const found = use(cwd);
    renameSync(at("above/sub"), at("above/moved"));
    symlinkSync(at("home/.config"), at("above/sub"));
    return found;
  });
  await expect(restore()).rejects.toMatchObject({ code: "conflict", message: expect.stringContaining("was replaced") });
  expect(readdirSync(at("home/.config"))).toEqual([]);
});

it("puts nothing elsewhere when that happens later, and files where the folder went", async () => {
  const { at, restore } = await afterOneTurn();
  mkdirSync(at("home/.config"), { recursive: true });
  const status = Reflect.get(FolderEntries.prototype, "status");
  vi.spyOn(FolderEntries.prototype, "status").mockImplementation(function swapped(this: FolderEntries, path) {
    if (existsSync(at("above/sub/file"))) {
      renameSync(at("above/sub"), at("above/moved"));
      symlinkSync(at("home/.config"), at("above/sub"));
    }
    return status.call(this, path);
  });
  onTestFinished(() => void vi.restoreAllMocks());
  expect((await restore()).restored).toEqual(["autostart/evil", "file"]);
  expect(readdirSync(at("home/.config"))).toEqual([]);
  expect(readFileSync(at("above/moved/file"), "utf8")).toBe("one");
});

it("does not read a file that grew beyond what any checkpoint has", async () => {
  const { at, restore } = await afterOneTurn();
  const sizes: number[] = [];
  const read = Reflect.get(FolderEntries.prototype, "read");
  vi.spyOn(FolderEntries.prototype, "read").mockImplementation(function grown(this: FolderEntries, path, maxBytes) {
    if (path.toString() === "file") truncateSync(at("above/sub/file"), 2 * limits.trackedBytes);
    const entry = read.call(this, path, maxBytes);
    if (entry.type === "file") sizes.push(entry.bytes.length);
    return entry;
  });
  onTestFinished(() => void vi.restoreAllMocks());
  const { restored, conflicts } = await restore();
  expect(restored).toEqual(["autostart/evil"]);
  expect(conflicts).toEqual([{ path: "file", reason: "It was changed while files were put back." }]);
  expect(sizes).toEqual([]);
});
