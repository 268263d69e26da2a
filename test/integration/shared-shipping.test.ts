// Tests that the log reaches the shared database whole and once, whatever breaks on the way, and that nothing else does.
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as wait } from "node:timers/promises";
import { initShared, type RemoteChange, removeMachine } from "@signalbox/many-machines/database";
import { describe, expect, it } from "vitest";
import { parseAddress } from "../../packages/many-machines/src/database/address.ts";
import { connect } from "../../packages/many-machines/src/database/connection.ts";
import { removeThreads } from "../../packages/many-machines/src/database/thread-removal.ts";
import { FakeHost, submit } from "../support/fake-host.ts";
import { runProgram, TemporaryFolder } from "../support/host-process.ts";
import { InterruptibleProxy } from "../support/interruptible-proxy.ts";
import { PostgresProcess } from "../support/postgres.ts";
import { rounds } from "../support/rounds.ts";
import type { TestScreen } from "../support/screen.ts";
import { sharedPostgres } from "../support/shared-postgres.ts";
import { expectShipped, SharingMachine, sharedLog } from "../support/sharing-machine.ts";
import { TransactionPooler } from "../support/transaction-pooler.ts";

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
    const left =
      "SELECT (SELECT count(*) FROM signalbox.blob_pieces)::int AS pieces, (SELECT array_agg(thread_id) FROM signalbox.threads) AS threads";
    await expect.poll(() => postgres.run(url, left)).toEqual([{ pieces: 1, threads: [kept] }]);
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
      await expect.poll(() => postgres.run(url, left)).toEqual([]);
      expect(machine.lines).toEqual([]);
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

it("secrets that were taken out while no host ran are removed when the machine shares again", async () => {
  using folder = new TemporaryFolder();
  const url = await postgres.database();
  const start = () => SharingMachine.start({ folder: folder.path, url, machine: "laptop" });
  {
    await using machine = await start();
    await machine.thread("/work", "password=hunter2");
    await expectShipped(postgres, url, { laptop: folder.path });
  }
  const { code, stdout, stderr } = await runProgram(["secrets", "--redact", "--json", "--data-dir", folder.path]);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^\{"redacted":\d+,"threads":1\}\n$/)]);
  expect(stderr).toMatch(/^The shared database still has them/);
  await using machine = await start();
  await expectShipped(postgres, url, { laptop: folder.path });
  const left =
    "SELECT 1 FROM signalbox.events WHERE payload LIKE '%hunter2%' UNION ALL SELECT 1 FROM signalbox.items WHERE body LIKE '%hunter2%' UNION ALL SELECT 1 FROM signalbox.blob_pieces WHERE position('hunter2'::bytea IN bytes) > 0";
  expect([await postgres.run(url, left), machine.lines]).toEqual([[], []]);
});

it("more machines share two connections of the server through a pooler in transaction mode", async () => {
  using folder = new TemporaryFolder();
  const url = await postgres.database();
  await using pooler = await TransactionPooler.to(postgres.port, 2);
  const through = url.replace(`:${postgres.port}/`, `:${pooler.port}/`);
  const names = ["one", "two", "three", "four", "five"].slice(0, rounds({ some: 3, all: 5 }));
  const folders = Object.fromEntries(names.map((name) => [name, folder.in(name)]));
  const heard = new Set<string>();
  await using stack = new AsyncDisposableStack();
  const machines = await Promise.all(
    names.map(async (name) => {
      mkdirSync(folder.in(name));
      const onChanges = (changes: readonly RemoteChange[]) =>
        changes.forEach((change) => name === "one" && heard.add(change.machine));
      const options = {
        folder: folder.in(name),
        url: through,
        machine: name,
        key: "a key that all machines have",
        onChanges,
      };
      return stack.use(await SharingMachine.start(options));
    }),
  );
  const [one, two] = machines;
  for (const { sharing } of machines) await expect.poll(() => sharing.isConnected).toBe(true);
  for (const machine of machines) await machine.thread();
  await expectShipped(postgres, url, folders);
  expect(pooler.maxClients).toBeGreaterThanOrEqual(names.length);
  // Notifications do not pass it: the others are heard of all the same, and commands arrive.
  await expect.poll(() => heard).toEqual(new Set(names.slice(1)));
  two?.sharing.commands.startReceiving(async () => "done");
  expect(await one?.sharing.commands.send("two", { threadId: null, kind: "x", body: "{}" })).toEqual({
    type: "answered",
    answer: "done",
  });
  expect(machines.flatMap(({ lines }) => lines)).toEqual([]);
});

it("removes the biggest thread in short transactions, also one that was interrupted, and what a machine that is gone has shared", async () => {
  const url = await postgres.database();
  const role = { role: undefined, machines: [], folders: [] };
  await initShared({ url, ...role });
  await postgres.run(
    url,
    `INSERT INTO signalbox.machines SELECT m, 'o', current_user, 'test', 'off', now() FROM unnest('{gone,here}'::text[]) AS m;
     INSERT INTO signalbox.threads SELECT m, 't' || n, 1, 1, '', 'a', '/w', NULL, 'idle', false, n, now(), '{}' FROM unnest('{gone,here}'::text[]) AS m, generate_series(1, 120) AS n;
     INSERT INTO signalbox.events SELECT m, 't' || n, 1, 1, 'x', '{}', NULL FROM unnest('{gone,here}'::text[]) AS m, generate_series(1, 120) AS n;
     INSERT INTO signalbox.items SELECT machine, thread_id, seq, 'message', 'i', 'message', NULL, 1, '', '' FROM signalbox.events;
     INSERT INTO signalbox.blob_uses SELECT machine, thread_id, h, 1 FROM signalbox.threads, unnest('{own,common}'::text[]) AS h WHERE thread_id = 't1' OR h = 'common';
     INSERT INTO signalbox.blob_pieces SELECT DISTINCT machine, hash, 0, ''::bytea FROM signalbox.blob_uses;
     INSERT INTO signalbox.events SELECT 'gone', 't1', n, 1, 'x', '{}', NULL FROM generate_series(2, 45000) AS n`,
  );
  const counts = async () =>
    await postgres.run(
      url,
      "SELECT (SELECT count(*) FROM signalbox.events)::int AS events, (SELECT count(*) FROM signalbox.items)::int AS items, (SELECT count(*) FROM signalbox.threads)::int AS threads, (SELECT count(*) FROM signalbox.blob_uses)::int AS uses, (SELECT count(*) FROM signalbox.blob_pieces)::int AS pieces",
    );
  const connection = await connect(parseAddress(url), "test", new AbortController().signal);
  let transactions = 0;
  const breaking: typeof connection = {
    ...connection,
    transaction: (work) =>
      transactions++ === 2 ? Promise.reject(new Error("interrupted")) : connection.transaction(work),
  };
  await expect(removeThreads(breaking, "gone", ["t1"])).rejects.toThrow("interrupted");
  expect(await counts()).toMatchObject([{ threads: 239, events: 45_239 - 20_000 }]);
  await removeThreads(breaking, "gone", ["t1"]);
  await connection.close();
  expect(await counts()).toEqual([{ threads: 239, events: 239, items: 239, uses: 240, pieces: 3 }]);
  expect(await removeMachine({ url, machine: "gone", before: 100 })).toBe(98);
  expect(await counts()).toMatchObject([{ threads: 141, events: 141, pieces: 3 }]);
  const removed = await runProgram(["shared", "remove", "--machine", "gone"], { SIGNALBOX_SHARED_URL: url });
  expect([removed.code, removed.stdout]).toEqual([0, "Removed 21 threads of gone from the shared database.\n"]);
  expect(await counts()).toEqual([{ threads: 120, events: 120, items: 120, uses: 121, pieces: 2 }]);
  await postgres.run(url, "UPDATE signalbox.machines SET online_until = now() + interval '1 hour'");
  await expect(removeMachine({ url, machine: "here", before: undefined })).rejects.toThrow(/here is running/);
  await expect(removeMachine({ url, machine: "gone", before: undefined })).rejects.toThrow(/no machine gone/);
});

describe("[R4] exactly once", () => {
  it("equals the union of the local logs after kills of a host and of PostgreSQL and interrupted connections at any moment", async () => {
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
    const screens: TestScreen[] = [];
    const threads: string[] = [];
    const hosts = new Set([host.process]);
    /** Asks for all that a screen shows beside a thread. */
    const lookAround = async (screen: TestScreen) => {
      screens.push(screen);
      hosts.add(host.process);
      for (const name of ["machines.list", "setup.get", "config.get", "threads.list", "agents.list"] as const)
        await screen.request({ control: "tvx.query", name, args: {} });
    };
    const killServer = async () => {
      await server.kill();
      await lookAround(await host.screen());
      await server.restart();
    };
    const killHost = () => host.restart("SIGKILL");
    const disturbances = Array.from({ length: rounds({ some: 1, all: 10 }) }, () => [killServer, killHost]).flat();
    for (const disturb of disturbances) {
      const screen = await host.screen();
      await lookAround(screen);
      const id = await host.thread(screen);
      threads.push(id);
      const secrets = ["SIGNALBOX_SHARED_URL", "SIGNALBOX_SHARED_KEY"].map((environment) => ({ environment }));
      await submit(screen, id, { megabytes: 1 }, ...secrets, ...talks);
      await machine.thread();
      // At any moment of the turn, and the connection a moment before or after.
      await wait(Math.random() * 150);
      proxy.interrupt();
      await wait(Math.random() * 50);
      await disturb();
    }
    await expectShipped(own, url, { first: host.folder.in("data"), second: folder.path });
    const broken = "SELECT 1 FROM signalbox.events GROUP BY machine, thread_id HAVING count(*) <> max(seq)";
    expect(await own.run(url, broken)).toEqual([]);
    const last = await host.screen();
    await lookAround(last);
    for (const name of threads) await last.request({ control: "tvx.subscribe", stream: "thread", thread_id: name });
    // No screen got the password or the key, and no host printed them.
    for (const { received } of screens) expect(JSON.stringify(received)).not.toMatch(/key-of-all|test-password/);
    for (const { stderr } of hosts) expect(stderr).not.toMatch(/key-of-all|test-password/);
    // Agents heard neither the address nor the key.
    const leaks = "SELECT 1 FROM signalbox.events WHERE payload LIKE '%key-of-all%' OR payload LIKE '%test-password%'";
    expect(await own.run(url, leaks)).toEqual([]);
    // Nor does any file of the data folder have them: the register, logs, what is remembered of agents.
    const data = host.folder.in("data");
    const files = readdirSync(data, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    for (const { parentPath, name } of files) {
      const content = readFileSync(join(parentPath, name), "latin1");
      expect([name, /key-of-all|test-password/.test(content)]).toEqual([name, false]);
    }
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
    await machine.sharing.replaceLog(id, async () => {});
    const generation = async () => (await postgres.run(url, "SELECT generation FROM signalbox.threads"))[0]?.generation;
    await expect.poll(generation).toBe(2);
    await expectShipped(postgres, url, { laptop: folder.path });
    expect(machine.lines).toEqual([]);
  });
});
