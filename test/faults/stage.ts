// The place of a run: a disk of limited size, the built host on it, a clock that can be moved, and a view of the processes and files that belong to the run.
import { spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readdirSync, readFileSync, readlinkSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { WebSocket } from "ws";
import { fakeAgentFile } from "../support/fake-agent/script.ts";
import { HostProcess, TemporaryFolder } from "../support/host-process.ts";
import { descendants, isRunning } from "../support/processes.ts";
import type { Usage } from "./checker.ts";

const roomyDisk = 2 ** 31;

export class Stage implements AsyncDisposable {
  readonly #folder = new TemporaryFolder();
  readonly data = this.#folder.in("disk/data");
  /** What the agents note, outside the disk that becomes full. */
  readonly journal = this.#folder.in("ran");
  /** Things that this machine cannot do, in words for the person at the terminal. */
  readonly missing: string[] = [];
  readonly #env: NodeJS.ProcessEnv;
  readonly #isMounted: boolean;
  #host: HostProcess | undefined;
  #hostEnds: string[] = [];
  /** Temporary folders of killed hosts: a later host removes them when they are some minutes old. */
  readonly #orphans = new Set<string>();
  /** When the running host was first at rest. */
  #first: Usage | undefined;

  private constructor() {
    for (const name of ["disk", "temporary"]) mkdirSync(this.#folder.in(name));
    const mount = ["-t", "tmpfs", "-o", `size=${roomyDisk}`, "signalbox-faults", this.#folder.in("disk")];
    this.#isMounted = spawnSync("mount", mount, { stdio: "ignore" }).status === 0;
    if (!this.#isMounted)
      this.missing.push(
        "A tmpfs cannot be mounted here: instead of a full disk, the host gets a limit for the size of its files.",
      );
    mkdirSync(this.data);
    const args = [
      "--no-warnings",
      fakeAgentFile,
      "--initialize",
      JSON.stringify({ agentCapabilities: { loadSession: true } }),
    ];
    const fake = {
      command: process.execPath,
      args: [...args, "--ended-file", this.#folder.in("ended")],
      label: "Fake",
    };
    const permissions = [{ allow: "kind:edit" }, { allow: "kind:execute" }];
    writeFileSync(join(this.data, "config.json"), JSON.stringify({ agents: { fake }, permissions }));
    writeFileSync(this.journal, "");
    this.#env = { TMPDIR: this.#folder.in("temporary"), NODE_OPTIONS: "--inspect-port=0", ...this.#makeClock() };
  }

  static async open(): Promise<Stage> {
    const stage = new Stage();
    await stage.#start(0);
    return stage;
  }

  get host(): HostProcess {
    if (this.#host === undefined) throw new Error("the host is not running");
    return this.#host;
  }

  get ran(): readonly string[] {
    return readFileSync(this.journal, "utf8")
      .split("\n")
      .filter((line) => line !== "");
  }

  get register(): string {
    return join(this.data, "signalbox.db");
  }

  /** A folder for threads, on the same disk as the data folder. */
  folder(name: string): string {
    const path = this.#folder.in(`disk/${name}`);
    mkdirSync(path, { recursive: true });
    return path;
  }

  async killHost(): Promise<void> {
    await this.host.stop("SIGKILL");
    for (const name of readdirSync(this.#folder.in("temporary"))) this.#orphans.add(`temporary/${name}`);
    await this.#start(this.host.ready.port);
  }

  /** Starts the host again where it ended by itself. */
  async reviveHost(): Promise<void> {
    if (isRunning(this.host.ready.pid)) return;
    this.#hostEnds.push(`the host ended by itself: ${this.host.stderr.slice(-500)}`);
    await this.#start(this.host.ready.port);
  }

  async #start(port: number): Promise<void> {
    this.#first = undefined;
    this.#host = await HostProcess.start(this.data, ["--port", String(port)], this.#env);
  }

  /** A second host on the same data folder has to be refused. */
  async tryToStartSecondHost(): Promise<void> {
    const second = await HostProcess.start(this.data, ["--port", "0"], this.#env).catch(() => undefined);
    if (second === undefined) return;
    this.#hostEnds.push("the host lost its lock: a second one started on the same data folder");
    await second.stop();
  }

  /** Gives the ends of hosts since the last call. */
  takeHostEnds(): readonly string[] {
    return this.#hostEnds.splice(0);
  }

  fillDisk(): void {
    const { pid } = this.host.ready;
    if (!this.#isMounted) return void spawnSync("prlimit", ["--pid", String(pid), "--fsize=65536:unlimited"]);
    // The host writes in the meantime, and a size below what is used is refused.
    for (let spare = 0; spare < 2 ** 24; spare += 2 ** 16) if (this.#resizeDisk(this.#usedBytes() + spare)) return;
  }

  freeDisk(): void {
    if (this.#isMounted) this.#resizeDisk(roomyDisk);
    else spawnSync("prlimit", ["--pid", String(this.host.ready.pid), "--fsize=unlimited:unlimited"]);
  }

  #usedBytes(): number {
    const { blocks, bfree, bsize } = statfsSync(this.#folder.in("disk"));
    return (blocks - bfree) * bsize;
  }

  #resizeDisk(size: number): boolean {
    return (
      spawnSync("mount", ["-o", `remount,size=${size}`, this.#folder.in("disk")], { stdio: "ignore" }).status === 0
    );
  }

  /** Sets how far the clock of the host is ahead. False where it cannot be moved. */
  setClock(seconds: number): boolean {
    const file = this.#env.SIGNALBOX_FAULTS_CLOCK;
    if (file === undefined) return false;
    const bytes = Buffer.alloc(8);
    bytes.writeBigInt64LE(BigInt(seconds));
    // Written in place: the processes have it mapped.
    writeFileSync(file, bytes, { flag: "r+" });
    return true;
  }

  #makeClock(): NodeJS.ProcessEnv {
    const library = this.#folder.in("clock.so");
    const source = join(import.meta.dirname, "clock.c");
    if (spawnSync("cc", ["-O2", "-shared", "-fPIC", "-o", library, source, "-ldl"]).status !== 0) {
      this.missing.push("There is no C compiler here: the clock is not moved.");
      return {};
    }
    writeFileSync(this.#folder.in("clock"), Buffer.alloc(8));
    return { LD_PRELOAD: library, SIGNALBOX_FAULTS_CLOCK: this.#folder.in("clock") };
  }

  /** The agents that run now. */
  get agents(): readonly number[] {
    return this.#processes()
      .filter(({ command }) => command.includes(fakeAgentFile) && !command.includes("supervise"))
      .map(({ pid }) => pid);
  }

  /** The processes of the sandbox's helper that run now. */
  get helpers(): readonly number[] {
    return this.#processes()
      .filter(({ command }) => isHelper(command))
      .map(({ pid }) => pid);
  }

  /** Processes that belong to this run, without the host itself: below the host, or with the run's folder in their command line or as their folder. */
  #processes(): readonly { readonly pid: number; readonly command: string }[] {
    const below = new Set(this.#host === undefined ? [] : descendants(this.#host.ready.pid));
    return readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .filter((pid) => pid !== process.pid && pid !== this.#host?.ready.pid)
      .map((pid) => ({ pid, command: readCommand(pid), folder: readFolder(pid) }))
      .filter(
        ({ pid, command, folder }) =>
          below.has(pid) || [command, folder].some((text) => text.includes(this.#folder.path)),
      );
  }

  /** What should have ended with the threads. The host keeps a launcher, with one process in reserve, and watches a few folders for a while. */
  listProcessesLeft(): readonly string[] {
    const launchers = this.#processes().filter(({ command }) => isHelper(command) && command.includes(" serve "));
    const left = this.#processes().filter(({ command }) => !(isHelper(command) && / (?:serve|watch) /.test(command)));
    return [...left, ...launchers.slice(2)].map(({ pid, command }) => `${pid} ${command.slice(0, 200)}`);
  }

  /** Files that neither an agent nor a resting host has a reason to leave. */
  listFilesLeft(): readonly string[] {
    const all = ["temporary", "disk"].flatMap((folder) =>
      readdirSync(this.#folder.in(folder), { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`),
    );
    return all.filter(
      (name) =>
        !/^disk\/[\w-]+$/.test(name) && !allowedFiles.test(name) && !this.#orphans.has(name.split("/", 2).join("/")),
    );
  }

  /** What the host uses now, without garbage, and what it used when it was first at rest. */
  async measureUsage(): Promise<{ readonly first: Usage; readonly now: Usage }> {
    const { pid } = this.host.ready;
    const retainedMegabytes = await this.#measureRetained();
    const [, kilobytes = "0"] = /RssAnon:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
    const watches = this.#processes().filter(({ command }) => isHelper(command) && command.includes(" watch ")).length;
    // Three pipes to each of them, which are there as long as the folder is watched.
    const descriptors = readdirSync(`/proc/${pid}/fd`).length - 3 * watches;
    const now = { retainedMegabytes, residentMegabytes: Math.round(Number(kilobytes) / 1024), descriptors };
    this.#first ??= now;
    return { first: this.#first, now };
  }

  /** Collects garbage and asks what is left: by the host's debugger, which Node opens at a signal and announces on stderr. */
  async #measureRetained(): Promise<number> {
    const findAddress = () => /Debugger listening on (ws:\S+)/.exec(this.host.stderr)?.[1];
    if (findAddress() === undefined) process.kill(this.host.ready.pid, "SIGUSR1");
    await waitUntil(() => findAddress() !== undefined, 5000);
    const address = findAddress();
    if (address === undefined) throw new Error("the host opened no debugger");
    const socket = new WebSocket(address);
    await once(socket, "open");
    const call = async (method: string, params: object = {}): Promise<unknown> => {
      const answer = once(socket, "message");
      socket.send(JSON.stringify({ id: 1, method, params }));
      const [data] = await answer;
      return JSON.parse(String(data)).result?.result?.value;
    };
    for (let times = 0; times < 2; times++) await call("HeapProfiler.collectGarbage");
    const expression = "process.memoryUsage().heapUsed + process.memoryUsage().external";
    const bytes = Number(await call("Runtime.evaluate", { expression }));
    const closed = once(socket, "close");
    socket.close();
    await closed;
    await pause(200); // it gives pages back in the background
    return Math.round(bytes / 2 ** 20);
  }

  async stop(): Promise<void> {
    await this.host.stop();
    this.#host = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#host?.stop("SIGKILL");
    if (this.#isMounted) spawnSync("umount", ["-l", this.#folder.in("disk")], { stdio: "ignore" });
    this.#folder[Symbol.dispose]();
  }
}

/** In the threads' folders everything that an agent writes has a name that begins with `agent-`. */
const allowedFiles = new RegExp(
  "^disk/(?:[\\w-]+/(?:links|agent-[^/]*)(?:/|$)|data/(?:" +
    [
      "signalbox\\.db(?:-wal|-shm|\\.lock)?$",
      "(?:config\\.json|token)$",
      "workspace(?:/(?:cache|demo|agent-\\w+))?$",
      "logs(?:/fake\\.log)?$",
      "git(?:/config)?$",
      "run(?:/host\\.json)?$",
      "put-aside(?:/running)?$",
      "checkpoints(?:/[0-9a-f]+(?:/(?:config|HEAD|signalbox-format|(?:info|refs|ignored|indexes|objects)(?:/(?!.*(?:/tmp_|\\.lock$|\\.new$)).*)?))?)?$",
    ].join("|") +
    "))",
);

function isHelper(command: string): boolean {
  return command.includes("signalbox-sandbox");
}

export function readCommand(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ");
  } catch {
    return ""; // it ended in the meantime
  }
}

function readFolder(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`);
  } catch {
    return "";
  }
}

/** Checks every few milliseconds; false when the time is over. */
export async function waitUntil(isTrue: () => boolean, limitMs: number): Promise<boolean> {
  const end = performance.now() + limitMs;
  while (!isTrue()) {
    if (performance.now() > end) return false;
    await pause(20);
  }
  return true;
}
