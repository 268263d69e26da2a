// Tests that the log reaches the shared database whole and once, whatever breaks on the way, and that nothing else does.
import { createHash } from "node:crypto";
import { describe, expect, it } from "vitest";
import { FakeHost, submit } from "../support/fake-host.ts";
import { TemporaryFolder } from "../support/host-process.ts";
import { InterruptibleProxy } from "../support/interruptible-proxy.ts";
import { PostgresProcess } from "../support/postgres.ts";
import { sharedPostgres } from "../support/shared-postgres.ts";
import { expectShipped, SharingMachine, sharedLog } from "../support/sharing-machine.ts";

const postgres = await sharedPostgres();

const shipped = async (url: string) => (await sharedLog(postgres, url).catch(() => [])).length;

describe("a machine that shares its log", () => {
  it("[R2] ships every event as it is logged, and each blob under its hash", async () => {
    using folder = new TemporaryFolder();
    const url = await postgres.database();
    await using machine = await SharingMachine.start({ folder: folder.path, url, machine: "laptop" });
    const id = await machine.thread();
    await expectShipped(postgres, url, { laptop: folder.path });
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
    await expectShipped(postgres, url, { laptop: folder.path });
    await machine.register.deleteThread(doomed);
    await expectShipped(postgres, url, { laptop: folder.path });
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

  it("removes what has become too old, and ships it again when it goes on", async () => {
    using folder = new TemporaryFolder();
    const url = await postgres.database();
    const start = (oldest: number) => SharingMachine.start({ folder: folder.path, url, machine: "laptop", oldest });
    {
      await using machine = await start(0);
      await machine.thread();
      await expectShipped(postgres, url, { laptop: folder.path });
    }
    {
      await using machine = await start(Date.now() + 60_000);
      await expect.poll(() => shipped(url)).toBe(0);
      const left = "SELECT 1 FROM signalbox.blob_pieces UNION ALL SELECT 1 FROM signalbox.items";
      expect([await postgres.run(url, left), machine.lines]).toEqual([[], []]);
    }
    await using machine = await start(0);
    await expectShipped(postgres, url, { laptop: folder.path });
    expect(machine.lines).toEqual([]);
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
      await expectShipped(postgres, url, { laptop: folder.path });
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
    await expectShipped(own, url, { first: host.folder.in("data"), second: folder.path });
    const broken = "SELECT 1 FROM signalbox.events GROUP BY machine, thread_id HAVING count(*) <> max(seq)";
    expect(await own.run(url, broken)).toEqual([]);
    // Agents heard neither the address nor the key.
    const leaks = "SELECT 1 FROM signalbox.events WHERE payload LIKE '%key-of-all%' OR payload LIKE '%test-password%'";
    expect(await own.run(url, leaks)).toEqual([]);
  });

  it("ships again to a database that was emptied or restored", async () => {
    using folder = new TemporaryFolder();
    const url = await postgres.database();
    await using machine = await SharingMachine.start({ folder: folder.path, url, machine: "laptop" });
    const id = await machine.thread();
    await expectShipped(postgres, url, { laptop: folder.path });
    await postgres.run(
      url,
      "CREATE TABLE backup AS SELECT * FROM signalbox.threads; CREATE TABLE events AS SELECT * FROM signalbox.events",
    );
    machine.addText(id, "later");
    await expectShipped(postgres, url, { laptop: folder.path });
    await postgres.run(
      url,
      "DELETE FROM signalbox.events; DELETE FROM signalbox.threads; INSERT INTO signalbox.events SELECT * FROM events; INSERT INTO signalbox.threads SELECT * FROM backup",
    );
    machine.addText(id, "latest");
    await expectShipped(postgres, url, { laptop: folder.path });
    await postgres.run(url, "TRUNCATE signalbox.events, signalbox.threads, signalbox.blob_uses, signalbox.blob_pieces");
    machine.addText(id, "and on");
    await expectShipped(postgres, url, { laptop: folder.path });
    machine.sharing.resend(id);
    const generation = async () => (await postgres.run(url, "SELECT generation FROM signalbox.threads"))[0]?.generation;
    await expect.poll(generation).toBe(2);
    await expectShipped(postgres, url, { laptop: folder.path });
    expect(machine.lines).toEqual([]);
  });
});
