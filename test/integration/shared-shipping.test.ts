// Tests that the log reaches the shared database whole and once, whatever breaks on the way, and that nothing else does.
import { createHash } from "node:crypto";
import { cpSync, mkdirSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { FakeHost, submit } from "../support/fake-host.ts";
import { HostProcess, TemporaryFolder } from "../support/host-process.ts";
import { InterruptibleProxy } from "../support/interruptible-proxy.ts";
import { type Postgres, PostgresProcess } from "../support/postgres.ts";
import { sharedPostgres } from "../support/shared-postgres.ts";
import { localLog, SharingMachine, sharedLog } from "../support/sharing-machine.ts";

const postgres = await sharedPostgres();

const shipped = async (url: string) => (await sharedLog(postgres, url).catch(() => [])).length;

/** The shared log becomes the union of the local ones, byte for byte. */
async function expectEqual(
  url: string,
  machines: Readonly<Record<string, string>>,
  server: Postgres = postgres,
): Promise<void> {
  const differences = async () => {
    const local = await Promise.all(Object.entries(machines).map(([name, folder]) => localLog(folder, name)));
    const union = new Set(local.flat());
    const shared = new Set(await sharedLog(server, url).catch(() => []));
    return [...[...union].filter((line) => !shared.has(line)), ...[...shared].filter((line) => !union.has(line))];
  };
  await expect.poll(differences).toEqual([]);
}

describe("a machine that shares its log", () => {
  it("[R2] ships every event as it is logged, and each blob under its hash", async () => {
    using folder = new TemporaryFolder();
    const url = await postgres.database();
    await using machine = await SharingMachine.start({ folder: folder.path, url, machine: "laptop" });
    const id = await machine.thread();
    await expectEqual(url, { laptop: folder.path });
    const pieces = await postgres.run(
      url,
      "SELECT hash, string_agg(bytes, ''::bytea ORDER BY piece) AS bytes FROM signalbox.blob_pieces GROUP BY hash",
    );
    expect(pieces.length).toBeGreaterThan(0);
    for (const { hash, bytes } of pieces)
      expect(
        createHash("sha256")
          .update(bytes as Buffer)
          .digest("hex"),
      ).toBe(hash);
    const [thread] = await postgres.run(url, "SELECT * FROM signalbox.threads");
    expect(thread).toMatchObject({ machine: "laptop", thread_id: id, title: "hello", cwd: "/work" });
    expect(machine.lines).toEqual([]);
  });

  it("removes a deleted thread with its blobs, and leaves the others", async () => {
    using folder = new TemporaryFolder();
    const url = await postgres.database();
    await using machine = await SharingMachine.start({ folder: folder.path, url, machine: "laptop" });
    const kept = await machine.thread("/work", "kept");
    const doomed = await machine.thread("/work", "doomed");
    await expectEqual(url, { laptop: folder.path });
    await machine.register.deleteThread(doomed);
    await expectEqual(url, { laptop: folder.path });
    const [left] = await postgres.run(
      url,
      "SELECT (SELECT count(*) FROM signalbox.blob_pieces)::int AS pieces, (SELECT array_agg(thread_id) FROM signalbox.threads) AS threads",
    );
    expect(left).toEqual({ pieces: 1, threads: [kept] });
  });

  it("shares only the folders that were chosen, and removes what is no longer", async () => {
    using folder = new TemporaryFolder();
    const url = await postgres.database();
    const start = (folders: string[]) => SharingMachine.start({ folder: folder.path, url, machine: "laptop", folders });
    const threads = async () =>
      (await postgres.run(url, "SELECT cwd FROM signalbox.threads ORDER BY 1")).map(({ cwd }) => cwd);
    {
      await using machine = await start(["/open", "/work"]);
      await machine.thread("/open");
      await machine.thread("/work");
      await machine.thread("/secret");
      await expect.poll(async () => await threads().catch(() => [])).toHaveLength(2);
    }
    expect(await threads()).toEqual(["/open", "/work"]);
    {
      await using machine = await start(["/work"]);
      await expect.poll(threads).toEqual(["/work"]);
      expect(machine.lines).toEqual([]);
    }
    expect(
      await postgres.run(
        url,
        "SELECT 1 FROM signalbox.events WHERE payload LIKE '%/secret%' OR payload LIKE '%/open%'",
      ),
    ).toEqual([]);
  });

  it("keeps secrets on the machine when told to, in what it had shipped before too", async () => {
    using folder = new TemporaryFolder();
    const url = await postgres.database();
    const redact = (text: string) => text.replaceAll("hunter2", "***");
    const found = async () =>
      (
        await postgres.run(
          url,
          "SELECT 1 FROM signalbox.events WHERE payload LIKE '%hunter2%' UNION ALL SELECT 1 FROM signalbox.threads WHERE thread_row LIKE '%hunter2%' UNION ALL SELECT 1 FROM signalbox.blob_pieces WHERE position('hunter2'::bytea IN bytes) > 0",
        )
      ).length;
    {
      await using machine = await SharingMachine.start({ folder: folder.path, url, machine: "laptop" });
      await machine.thread("/work", "hunter2");
      await expectEqual(url, { laptop: folder.path });
    }
    expect(await found()).toBeGreaterThan(3);
    const before = await shipped(url);
    await using machine = await SharingMachine.start({ folder: folder.path, url, machine: "laptop", redact });
    await expect.poll(found).toBe(0);
    await expect.poll(() => shipped(url)).toBeGreaterThanOrEqual(before);
    expect(machine.lines).toEqual([]);
  });
});

describe("[R4] exactly once", () => {
  it("equals the union of the local logs after kills of a host and of PostgreSQL and interrupted connections", async () => {
    using folder = new TemporaryFolder();
    // The other files need theirs.
    await using server = await PostgresProcess.start();
    const { postgres: own } = server;
    const url = await own.database();
    await using proxy = await InterruptibleProxy.to(own.port);
    const through = url.replace(`:${own.port}/`, `:${proxy.port}/`);
    const env = { SIGNALBOX_SHARED_URL: through, SIGNALBOX_SHARED_KEY: "key-of-all" };
    await using host = await FakeHost.start({ env, config: { shared: { machine: "first" } } });
    await using machine = await SharingMachine.start({ folder: folder.path, url: through, machine: "second" });
    const talks = Array.from({ length: 30 }, () => [{ say: "more " }, { wait: 5 }] as const).flat();
    for (const disturb of [
      async () => {
        await server.kill();
        await server.restart();
      },
      () => host.restart("SIGKILL"),
    ]) {
      const screen = await host.screen();
      const id = await host.thread(screen);
      const secrets = ["SIGNALBOX_SHARED_URL", "SIGNALBOX_SHARED_KEY"].map((environment) => ({ environment }));
      await submit(screen, id, { megabytes: 1 }, ...secrets, ...talks);
      await machine.thread();
      proxy.interrupt();
      await disturb();
    }
    await expectEqual(url, { first: host.folder.in("data"), second: folder.path }, own);
    const broken = "SELECT 1 FROM signalbox.events GROUP BY machine, thread_id HAVING count(*) <> max(seq)";
    expect(await own.run(url, broken)).toEqual([]);
    // Agents heard neither the address nor the key.
    const leaks = "SELECT 1 FROM signalbox.events WHERE payload LIKE '%key-of-all%' OR payload LIKE '%test-password%'";
    expect(await own.run(url, leaks)).toEqual([]);
  });

  it("catches up a database that was away, with what was deleted meanwhile", async () => {
    using folder = new TemporaryFolder();
    const url = await postgres.database();
    await using proxy = await InterruptibleProxy.to(postgres.port);
    const through = url.replace(`:${postgres.port}/`, `:${proxy.port}/`);
    await using machine = await SharingMachine.start({ folder: folder.path, url: through, machine: "laptop" });
    const doomed = await machine.thread();
    await expectEqual(url, { laptop: folder.path });
    proxy.hang();
    const started = performance.now();
    await machine.thread();
    await machine.register.deleteThread(doomed);
    const localMs = performance.now() - started;
    proxy.resume();
    await expectEqual(url, { laptop: folder.path });
    // A statement has 20 s: nothing here waited for one.
    expect(localMs).toBeLessThan(15_000);
  });

  it("ships again to a database that was emptied or restored", async () => {
    using folder = new TemporaryFolder();
    const url = await postgres.database();
    await using machine = await SharingMachine.start({ folder: folder.path, url, machine: "laptop" });
    const id = await machine.thread();
    await expectEqual(url, { laptop: folder.path });
    await postgres.run(
      url,
      "CREATE TABLE backup AS SELECT * FROM signalbox.threads; CREATE TABLE events AS SELECT * FROM signalbox.events",
    );
    machine.addText(id, "later");
    await expectEqual(url, { laptop: folder.path });
    await postgres.run(
      url,
      "DELETE FROM signalbox.events; DELETE FROM signalbox.threads; INSERT INTO signalbox.events SELECT * FROM events; INSERT INTO signalbox.threads SELECT * FROM backup",
    );
    machine.addText(id, "latest");
    await expectEqual(url, { laptop: folder.path });
    await postgres.run(url, "TRUNCATE signalbox.events, signalbox.threads, signalbox.blob_uses, signalbox.blob_pieces");
    machine.addText(id, "and on");
    await expectEqual(url, { laptop: folder.path });
    machine.sharing.resend(id);
    const generation = async () => (await postgres.run(url, "SELECT generation FROM signalbox.threads"))[0]?.generation;
    await expect.poll(generation).toBe(2);
    await expectEqual(url, { laptop: folder.path });
    expect(machine.lines).toEqual([]);
  });
});

describe("what is refused", () => {
  const problem = async (machine: SharingMachine) => {
    await expect.poll(() => machine.lines.length).toBeGreaterThan(0);
    return machine.lines[0];
  };

  it("notices a register that was restored from a backup and uses its numbers again", async () => {
    using folder = new TemporaryFolder();
    mkdirSync(folder.in("data"));
    const url = await postgres.database();
    const options = { folder: folder.in("data"), url, machine: "laptop" };
    let id: string;
    {
      await using machine = await SharingMachine.start(options);
      id = await machine.thread();
      await expectEqual(url, { laptop: options.folder });
    }
    cpSync(folder.in("data"), folder.in("backup"), { recursive: true });
    {
      await using machine = await SharingMachine.start(options);
      machine.addText(id, "what the backup does not have");
      await machine.register.settled(id);
      await expectEqual(url, { laptop: options.folder });
    }
    const before = await sharedLog(postgres, url);
    for (const words of ["something else", "and one more"]) {
      await using restored = await SharingMachine.start({ ...options, folder: folder.in("backup") });
      restored.addText(id, words);
      await restored.register.settled(id);
      expect(await problem(restored)).toContain("not the one that was shared");
      expect(await sharedLog(postgres, url)).toEqual(before);
    }
    await using renamed = await SharingMachine.start({ ...options, folder: folder.in("backup"), machine: "laptop-2" });
    await expect.poll(() => shipped(url)).toBeGreaterThan(before.length);
    expect(renamed.lines).toEqual([]);
  });

  it("keeps a machine's name for the data folder that had it first", async () => {
    using one = new TemporaryFolder();
    using two = new TemporaryFolder();
    const url = await postgres.database();
    await using first = await SharingMachine.start({ folder: one.path, url, machine: "laptop" });
    await first.thread();
    await expectEqual(url, { laptop: one.path });
    await using second = await SharingMachine.start({ folder: two.path, url, machine: "laptop" });
    await second.thread();
    expect(await problem(second)).toMatch(/machine name laptop belongs to another data folder.*shared\.machine/);
    await expectEqual(url, { laptop: one.path });
  });

  it("refuses tables of a version that it does not know", async () => {
    using folder = new TemporaryFolder();
    const url = await postgres.database();
    await postgres.run(
      url,
      "CREATE SCHEMA signalbox; CREATE TABLE signalbox.schema_version(version int); INSERT INTO signalbox.schema_version VALUES (99)",
    );
    await using machine = await SharingMachine.start({ folder: folder.path, url, machine: "laptop" });
    expect(await problem(machine)).toMatch(/newer Signalbox.*version 99.*Update/);
  });

  it.each([
    ["a role that is not there", () => postgres.address("postgres", "stranger"), /does not let this role in/],
    ["a database that is not there", () => postgres.address("no_such"), /no database of this name/],
    ["a server without TLS", () => `${postgres.address("postgres")}?sslmode=require`, /does not speak TLS/],
  ])("says in one line that it is %s, never the password, and the register works on", async (_, url, expected) => {
    using folder = new TemporaryFolder();
    await using machine = await SharingMachine.start({ folder: folder.path, url: url(), machine: "laptop" });
    await machine.thread();
    expect(await problem(machine)).toMatch(expected);
    expect(machine.lines.join()).not.toContain("test-password");
  });

  it("a host goes on alone with an address that does not work", async () => {
    using folder = new TemporaryFolder();
    const url = "postgres://u:pass-word-7391@127.0.0.1:1/db";
    await using host = await HostProcess.start(folder.path, ["--port", "0"], { SIGNALBOX_SHARED_URL: url });
    await expect.poll(() => host.stderr).toBe("shared: 127.0.0.1:1/db cannot be used: nothing listens there.\n");
  });
});
