// A prompt reaches the agent only when it is in the register: one that was refused does not run, and one that is sent again runs once. Tested on a disk that
// is full, and with writes that fail at any other place.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { afterEach, expect, it, vi } from "vitest";
import { openHostServices } from "../../packages/host/src/open-host-services.ts";
import type { HostServices } from "../../packages/host/src/server/host-services.ts";
import { Recorder } from "../../packages/tinyvex/src/writer/recorder.ts";
import { fakeAgentFile, script } from "../support/fake-agent/script.ts";
import { TemporaryFolder } from "../support/host-process.ts";

afterEach(() => void vi.restoreAllMocks());

/** The error of SQLite on a full disk. */
const full = Object.assign(new Error("database or disk is full"), { code: "ERR_SQLITE_ERROR", errcode: 13 });

class Stage implements AsyncDisposable {
  readonly #folder: TemporaryFolder;
  readonly #isMounted: boolean;
  readonly #services: HostServices;
  readonly #threadId: string;

  private constructor(folder: TemporaryFolder, isMounted: boolean, services: HostServices, threadId: string) {
    this.#folder = folder;
    this.#isMounted = isMounted;
    this.#services = services;
    this.#threadId = threadId;
  }

  static async open(): Promise<Stage> {
    const folder = new TemporaryFolder();
    for (const name of ["data", "project"]) mkdirSync(folder.in(name));
    const mount = ["-t", "tmpfs", "-o", "size=24m", "none", folder.in("data")];
    const isMounted = spawnSync("mount", mount, { stdio: "ignore" }).status === 0;
    writeFileSync(folder.in("data/config.json"), JSON.stringify({ permissions: [{ allow: "all" }] }));
    const fake = { id: "fake", label: "Fake", command: process.execPath, args: ["--no-warnings", fakeAgentFile] };
    const own = { command: process.execPath, args: [], version: "0" };
    const services = await openHostServices({ dataFolder: folder.in("data"), own, agents: [fake] });
    const thread = await services.sessions.create({ agent_id: "fake", cwd: folder.in("project") });
    return new Stage(folder, isMounted, services, thread.id);
  }

  /** Takes the rest of the disk. Where the system mounts none for us, every write fails as it does on one that is full. */
  fillDisk(): void {
    if (!this.#isMounted) return this.failWrites();
    const { bavail, bsize } = statfsSync(this.#folder.in("data"));
    const ballast = this.#folder.in("data/ballast");
    spawnSync("dd", ["if=/dev/zero", `of=${ballast}`, "bs=4k", `count=${(bavail * bsize) / 4096 + 10}`], {
      stdio: "ignore",
    });
  }

  failWrites(): void {
    vi.spyOn(Recorder.prototype, "transaction").mockImplementation(() => {
      throw full;
    });
  }

  recover(): void {
    vi.restoreAllMocks();
    rmSync(this.#folder.in("data/ballast"), { force: true });
  }

  /** The prompt fills a page of the register and more, and says in the project's folder that it runs. */
  submit(promptId: string) {
    const text = script({ shell: `echo ${promptId} >> ran` }, { say: "x".repeat(20_000) });
    return this.#services.sessions.submit(this.#threadId, promptId, [{ type: "text", text }]);
  }

  async waitForEnds(count: number): Promise<void> {
    const list = async () => {
      const { rows } = await this.#services.register.query("turns.list", { thread_id: this.#threadId });
      return rows.map(({ status }) => status);
    };
    await expect.poll(list, { timeout: 20_000 }).toEqual(Array(count).fill("ended"));
  }

  /** The prompts that ran, in order. */
  get ran(): readonly string[] {
    const file = this.#folder.in("project/ran");
    return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.recover();
    await this.#services.close();
    if (this.#isMounted) spawnSync("umount", ["-l", this.#folder.in("data")], { stdio: "ignore" });
    this.#folder[Symbol.dispose]();
  }
}

it.each([
  ["a full disk", (stage: Stage) => stage.fillDisk()],
  ["a writer that fails", (stage: Stage) => stage.failWrites()],
])("[R4] with %s a prompt is refused and does not run; sent again, it runs once", async (_, fail) => {
  await using stage = await Stage.open();
  await stage.submit("first");
  await stage.waitForEnds(1);
  fail(stage);
  for (let attempt = 0; attempt < 3; attempt++)
    await expect(stage.submit("again")).rejects.toMatchObject({ code: "disk_full" });
  stage.recover();
  const answer = await stage.submit("again");
  expect(await stage.submit("again")).toMatchObject({ turn_id: answer.turn_id });
  // Prompts run in order, so one that was only late would have run before this one.
  await stage.submit("last");
  await stage.waitForEnds(3);
  expect(stage.ran).toEqual(["first", "again", "last"]);
});
