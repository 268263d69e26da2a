// Builds a small world for one escape attempt: a workspace, files around it that must not change, listeners that must receive nothing, and a
// snapshot of all of them.
import { type ChildProcessByStdio, spawn, spawnSync } from "node:child_process";
import { createSocket } from "node:dgram";
import { once } from "node:events";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createServer, type Server } from "node:net";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import { createPolicy } from "../policy/create-policy.ts";
import type { AccessMode, NetworkAccess, Policy } from "../policy/policy.ts";

export const secretText = "secret-that-must-not-be-seen";

const agentLoginFiles = [
  ".claude/.credentials.json",
  ".claude.json",
  ".codex/auth.json",
  ".pi/agent/auth.json",
  ".augment/session.json",
];

export class World implements AsyncDisposable {
  readonly root: string;
  readonly workspace: string;
  readonly outside: string;
  readonly data: string;
  readonly home: string;
  /** A process of the same user, outside: stopped, so that any signal that reaches it shows. */
  readonly bystander = spawn("sleep", ["1000"], {
    env: { PATH: process.env.PATH, BYSTANDER: secretText },
    stdio: "ignore",
    detached: true, // a group of its own, apart from the bystanders of other worlds
  });
  readonly #servers: Server[] = [];
  readonly #datagrams = createSocket("udp4");
  #unixDatagrams: ChildProcessByStdio<null, Readable, null> | undefined;
  /** The workspace before an attempt; listeners that come later change it once. */
  #asNew = "";
  heard: string[] = [];
  ports = { tcp: 0, tcp6: 0, udp: 0 };

  private constructor(folder: string) {
    this.root = realpathSync(mkdtempSync(join(folder, "world-")));
    this.workspace = join(this.root, "workspace");
    this.outside = join(this.root, "outside");
    this.data = join(this.root, "data");
    this.home = join(this.root, "home");
  }

  /**
   * `program` is the compiled test-data/attempt.c, which also listens where Node cannot. The world is a folder beside it and is deleted with
   * it: where hundreds of files were just deleted, a file system needs long to make new ones.
   */
  static async open(program: string): Promise<World> {
    const world = new World(join(dirname(program), "worlds"));
    world.#build();
    await once(world.bystander, "spawn");
    world.bystander.kill("SIGSTOP");
    while (world.#bystanderState() !== "T") await setTimeout(1);
    world.ports = {
      tcp: await world.#listen("tcp", { port: 0, host: "127.0.0.1" }),
      tcp6: await world.#listen("tcp6", { port: 0, host: "::1" }),
      udp: await world.#listenForDatagrams(),
    };
    await world.#listen("unix", { path: join(world.outside, "door") });
    await world.#listen("unix in the workspace", { path: join(world.workspace, "door") });
    await world.#listen("abstract", { path: `\0${world.abstractName}` });
    await world.#listenForUnixDatagrams(program);
    return world;
  }

  get loginFiles(): readonly string[] {
    return agentLoginFiles.map((name) => join(this.home, name));
  }

  get abstractName(): string {
    return this.root.replaceAll("/", "-");
  }

  policy(mode: AccessMode = "sandbox", network: NetworkAccess = "off"): Policy {
    return createPolicy({
      mode,
      network,
      workspaceFolders: [this.workspace],
      dataFolder: this.data,
      homeFolder: this.home,
      tempFolder: join(this.root, "temp"),
      platform: "linux",
    });
  }

  #build(): void {
    this.#write({
      "outside/victim": "as before",
      "outside/folder/deep": "as before",
      "data/signalbox.db": secretText,
      "data/config.json": secretText,
      "data/run/pids": secretText,
      "data/skills/skill": "a skill",
      "data/workspace/file": "",
      "home/.ssh/id_ed25519": secretText,
      "home/.npmrc": secretText,
      "home/.bash_history": secretText,
      "home/.bashrc": "# as before",
      "home/.gitconfig": "",
      "home/.config/autostart/editor.desktop": "",
      "temp/file": "",
      ...Object.fromEntries(agentLoginFiles.map((name) => [`home/${name}`, secretText])),
    });
    // A device in a place that is open, as in the tree of a container. Only root can make one.
    spawnSync("mknod", [join(this.root, "temp/device"), "c", "1", "5"], { stdio: "ignore" });
    this.renewWorkspace();
  }

  /** For the next attempt, if the last one changed anything. The door stays: it belongs to a listener. */
  renewWorkspace(): void {
    if (this.#asNew !== "" && [...describe(this.workspace)].join("\n") === this.#asNew) return;
    mkdirSync(this.workspace, { recursive: true });
    for (const name of readdirSync(this.workspace)) {
      if (name !== "door") rmSync(join(this.workspace, name), { recursive: true, force: true });
    }
    this.#write({
      "workspace/file": "mine",
      "workspace/sub/file": "mine",
      "workspace/.git/HEAD": "ref: refs/heads/main\n",
      "workspace/.git/config": "[core]\n\trepositoryformatversion = 0\n",
      "workspace/.git/objects/none": "",
      "workspace/.git/refs/none": "",
      "workspace/.git/hooks/post-commit.sample": "",
      "workspace/.git/worktrees/tree/commondir": "../..",
      "workspace/.git/modules/part/HEAD": "ref: refs/heads/main\n",
      "workspace/.git/modules/part/config": "",
      "workspace/.claude/settings.json": "{}",
      "workspace/.vscode/tasks.json": "{}",
      "workspace/.signalbox/config.json": "{}",
      "workspace/.mcp.json": "{}",
    });
    this.#asNew = [...describe(this.workspace)].join("\n");
  }

  #write(files: Readonly<Record<string, string>>): void {
    for (const [path, content] of Object.entries(files)) {
      mkdirSync(join(this.root, dirname(path)), { recursive: true });
      writeFileSync(join(this.root, path), content);
    }
  }

  async #listen(name: string, address: { port: number; host: string } | { path: string }): Promise<number> {
    const server = createServer((connection) => {
      this.heard.push(name);
      connection.on("error", () => {});
      connection.destroy();
    });
    this.#servers.push(server);
    server.listen(address);
    await once(server, "listening");
    const bound = server.address();
    return typeof bound === "object" && bound !== null ? bound.port : 0;
  }

  async #listenForDatagrams(): Promise<number> {
    this.#datagrams.on("message", () => this.heard.push("udp"));
    this.#datagrams.bind(0, "127.0.0.1");
    await once(this.#datagrams, "listening");
    return this.#datagrams.address().port;
  }

  /** It prints one character when it listens, and one per datagram. */
  async #listenForUnixDatagrams(program: string): Promise<void> {
    this.#unixDatagrams = spawn(program, ["receive-datagrams", join(this.outside, "datagrams")], {
      stdio: ["ignore", "pipe", "ignore"],
    });
    const { stdout } = this.#unixDatagrams;
    await once(stdout, "data");
    stdout.on("data", () => this.heard.push("unix datagrams"));
  }

  #bystanderState(): string {
    return readFileSync(`/proc/${this.bystander.pid}/stat`, "utf8").split(" ")[2] ?? "gone";
  }

  /** Everything that a command must leave alone, as text: names, contents, modes, owners, times. */
  snapshot(): string {
    const guarded = ["outside", "data/signalbox.db", "data/config.json", "data/run", "data/skills", "home"];
    const lines = [
      ...guarded,
      "workspace/.git/hooks",
      "workspace/.git/config",
      "workspace/.git/commondir",
      "workspace/.git/worktrees/tree/commondir",
      "workspace/.git/modules/part/config",
      "workspace/.claude/settings.json",
      "workspace/.vscode/tasks.json",
      "workspace/.signalbox",
      "workspace/.mcp.json",
    ].flatMap((path) => [...describe(join(this.root, path))]);
    const strayed = readdirSync(this.root).filter(
      (name) => !["workspace", "outside", "data", "home", "temp"].includes(name),
    );
    const bystander = this.#bystanderState();
    return [
      ...lines,
      `strayed ${strayed.join()}`,
      `bystander ${bystander}`,
      `privileged ${[...privileged(this.workspace)].join()}`,
    ].join("\n");
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.bystander.kill("SIGKILL");
    this.#unixDatagrams?.kill("SIGKILL");
    this.#datagrams.close();
    await Promise.all(this.#servers.map((server) => new Promise((resolve) => server.close(resolve))));
  }
}

function* describe(path: string): Generator<string> {
  const status = lstatSync(path, { throwIfNoEntry: false });
  if (status === undefined) return yield `${path} missing`;
  const { mode, uid, gid, mtimeMs, ctimeMs, nlink } = status;
  yield [path, mode, uid, gid, mtimeMs, ctimeMs, nlink].join(" ");
  if (status.isDirectory()) for (const name of readdirSync(path)) yield* describe(join(path, name));
  else if (status.isSymbolicLink()) yield readlinkSync(path);
  else if (status.isFile()) yield readFileSync(path, "latin1");
}

/** Files in the workspace that would give a program that runs or opens them more rights than it has. */
function* privileged(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    const status = lstatSync(path);
    if ((status.isFile() && (status.mode & 0o6000) !== 0) || status.isBlockDevice() || status.isCharacterDevice())
      yield path;
    if (entry.isDirectory()) yield* privileged(path);
  }
}
