// Tests that what is wrong with the shared database is said in one line, to the terminal, the page and `doctor`, without the password, and that
// the machine works on alone.
import { once } from "node:events";
import { cpSync, mkdirSync } from "node:fs";
import { createServer } from "node:net";
import { checkShared, initShared } from "@signalbox/many-machines/database";
import { describe, expect, it } from "vitest";
import { parseAddress } from "../../packages/many-machines/src/database/address.ts";
import { connect } from "../../packages/many-machines/src/database/connection.ts";
import { knownVersion, prepareSchema } from "../../packages/many-machines/src/database/schema.ts";
import { FakeHost, run } from "../support/fake-host.ts";
import { TemporaryFolder } from "../support/host-process.ts";
import { InterruptibleProxy } from "../support/interruptible-proxy.ts";
import { sharedPostgres } from "../support/shared-postgres.ts";
import { expectShipped, SharingMachine, sharedLog } from "../support/sharing-machine.ts";
import { certificateFile, TlsFront } from "../support/tls-front.ts";

const postgres = await sharedPostgres();

const shipped = async (url: string) => (await sharedLog(postgres, url).catch(() => [])).length;

describe("a problem of sharing is one line, and the register works on", () => {
  const problem = async (machine: SharingMachine) => {
    await expect.poll(() => machine.lines.length).toBeGreaterThan(0);
    expect(machine.lines[0]).toBe(`shared: ${machine.sharing.problem}`);
    return machine.lines[0];
  };
  const start = (folder: TemporaryFolder, url: string, more: object = {}) =>
    SharingMachine.start({ folder: folder.path, url, machine: "laptop", ...more });
  const check = async (url: string, more: object = {}) => {
    const checks = await checkShared({ url, machine: "laptop", control: "off", key: undefined, ...more });
    return checks.filter(({ ok }) => !ok).map(({ message }) => message);
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
      await expectShipped(postgres, url, { laptop: options.folder });
    }
    cpSync(folder.in("data"), folder.in("backup"), { recursive: true });
    {
      await using machine = await SharingMachine.start(options);
      machine.addText(id, "what the backup does not have");
      await machine.register.settled(id);
      await expectShipped(postgres, url, { laptop: options.folder });
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
    await expectShipped(postgres, url, { laptop: one.path });
    await using second = await SharingMachine.start({ folder: two.path, url, machine: "laptop" });
    await second.thread();
    const expected = /machine name laptop belongs to another data folder.*shared\.machine/;
    expect(await problem(second)).toMatch(expected);
    expect(await check(url, { owner: second.sharing.owner })).toEqual([expect.stringMatching(expected)]);
    expect(await check(url, { owner: first.sharing.owner })).toEqual([]);
    await expectShipped(postgres, url, { laptop: one.path });
  });

  it.each([
    [
      "full",
      `CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE 'no space left' USING ERRCODE = '53100'; END $$;
       CREATE TRIGGER full_disk BEFORE INSERT ON signalbox.events FOR EACH ROW EXECUTE FUNCTION refuse()`,
      "DROP FUNCTION refuse() CASCADE",
      /its disk is full/,
    ],
    [
      "read-only",
      "DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET default_transaction_read_only = on', current_database()); END $$",
      "BEGIN READ WRITE; DO $$ BEGIN EXECUTE format('ALTER DATABASE %I RESET default_transaction_read_only', current_database()); END $$; COMMIT",
      /it is read-only/,
    ],
  ])("a database that is %s; it is caught up later", async (_, break_, repair, expected) => {
    using folder = new TemporaryFolder();
    const url = await postgres.database();
    await initShared({ url, role: undefined, machines: [], folders: [] });
    await postgres.run(url, break_);
    {
      await using machine = await start(folder, url);
      await machine.thread();
      expect(await problem(machine)).toMatch(expected);
      expect(await check(url, { owner: machine.sharing.owner })).toEqual([expect.stringMatching(expected)]);
    }
    await postgres.run(url, repair);
    await using machine = await start(folder, url);
    await expectShipped(postgres, url, { laptop: folder.path });
    expect([machine.lines, await check(url, { owner: machine.sharing.owner })]).toEqual([[], []]);
  });

  it("a connection that hangs, when it is made and later; what happened meanwhile is caught up", async () => {
    using folder = new TemporaryFolder();
    const url = await postgres.database();
    await using proxy = await InterruptibleProxy.to(postgres.port);
    const through = url.replace(`:${postgres.port}/`, `:${proxy.port}/`);
    const limits = { connectMs: 2000, statementMs: 2000 };
    await using machine = await start(folder, through, { limits });
    const doomed = await machine.thread();
    await expectShipped(postgres, url, { laptop: folder.path });
    proxy.hang();
    await machine.thread();
    await machine.register.deleteThread(doomed);
    expect(await problem(machine)).toMatch(/does not answer/);
    expect(await check(through, { limits })).toEqual([expect.stringMatching(/does not answer/)]);
    proxy.resume();
    await expectShipped(postgres, url, { laptop: folder.path });
    await expect.poll(() => machine.lines.at(-1)).toBe("shared: works again.");
  });

  it("a clock that is wrong: everything but commands works", async () => {
    using folder = new TemporaryFolder();
    const url = await postgres.database();
    const now = () => Date.now() - 10 * 60_000;
    await using machine = await start(folder, url, { now });
    await machine.thread();
    expect(await problem(machine)).toMatch(/clock is \d+(\.\d)? s behind the database's/);
    await expectShipped(postgres, url, { laptop: folder.path });
    expect(await check(url, { now, owner: machine.sharing.owner })).toEqual([
      expect.stringMatching(/^Clock: .* s behind/),
    ]);
  });

  it("tables of a newer version, also when they change under a host; older ones are brought up to date, or it says who can", async () => {
    using folder = new TemporaryFolder();
    const url = await postgres.database();
    {
      await using machine = await start(folder, url);
      await machine.thread();
      await expectShipped(postgres, url, { laptop: folder.path });
    }
    const connection = await connect(parseAddress(url), "test", new AbortController().signal);
    const next = [
      ...Array.from({ length: knownVersion }, () => ""),
      "ALTER TABLE signalbox.machines ADD COLUMN later integer",
    ];
    await postgres.run(
      url,
      "CREATE ROLE tenant LOGIN; GRANT USAGE ON SCHEMA signalbox TO tenant; GRANT SELECT ON signalbox.schema_version TO tenant",
    );
    const address = postgres.address(url.split("/").at(-1) ?? "", "tenant");
    const tenant = await connect(parseAddress(address), "test", new AbortController().signal);
    await expect(prepareSchema(tenant, next)).rejects.toThrow(/older Signalbox.*signalbox shared init/);
    await tenant.close();
    await using machine = await start(folder, url);
    await expect.poll(() => machine.sharing.isConnected).toBe(true);
    await prepareSchema(connection, next);
    await connection.close();
    expect(await problem(machine)).toMatch(/newer Signalbox.*Update/);
    expect(await check(url)).toEqual([expect.stringMatching(/newer Signalbox.*Update/)]);
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
    expect([machine.lines, await check(url())].join()).not.toContain("test-password");
    expect(await check(url())).toEqual([expect.stringMatching(expected)]);
  });

  it("a password that is wrong", async () => {
    using folder = new TemporaryFolder();
    // The answer of a server that asks for a password and gets another one; the tests' own takes any.
    const fields = ["SFATAL", "C28P01", 'Mpassword authentication failed for user "me"']
      .map((field) => `${field}\0`)
      .join("");
    const refusal = Buffer.alloc(5 + fields.length + 1);
    refusal.write("E");
    refusal.writeInt32BE(refusal.length - 1, 1);
    refusal.write(fields, 5);
    const server = createServer((socket) => socket.once("data", () => socket.end(refusal)).on("error", () => {}));
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    const port = address === null || typeof address === "string" ? 0 : address.port;
    const url = `postgres://me:pass-word-7391@127.0.0.1:${port}/db`;
    await using machine = await start(folder, url);
    await machine.thread();
    const expected = `127.0.0.1:${port}/db cannot be used: the password is wrong.`;
    expect(await problem(machine)).toBe(`shared: ${expected}`);
    expect(await check(url)).toEqual([`Shared database: ${expected}`]);
    server.close();
  });

  it("TLS: ships where the certificate is of an authority that the address names, and not to one that is unknown or of another name", async () => {
    using folder = new TemporaryFolder();
    const url = await postgres.database();
    await using front = await TlsFront.to(postgres.port);
    const through = (host: string, more: string) =>
      `${url.replace(`127.0.0.1:${postgres.port}`, `${host}:${front.port}`)}?sslmode=verify-full${more}`;
    expect(await check(through("127.0.0.1", ""))).toEqual([expect.stringMatching(/its certificate is self-signed/)]);
    const known = `&sslrootcert=${certificateFile}`;
    expect(await check(through("localhost", known))).toEqual([
      expect.stringMatching(/its certificate is for another host/),
    ]);
    await using machine = await start(folder, through("127.0.0.1", known));
    await machine.thread();
    await expectShipped(postgres, url, { laptop: folder.path });
    expect(machine.lines).toEqual([]);
  });

  it("a host says it on its terminal and on the page, and goes on alone", async () => {
    const url = "postgres://u:pass-word-7391@127.0.0.1:1/db";
    await using host = await FakeHost.start({
      env: { SIGNALBOX_SHARED_URL: url },
      config: { shared: { machine: "laptop" } },
    });
    const line = "127.0.0.1:1/db cannot be used: nothing listens there.";
    await expect.poll(() => host.process.stderr).toBe(`shared: ${line}\n`);
    const screen = await host.screen();
    const answer = await screen.request({ control: "tvx.query", name: "machines.list" });
    expect(answer).toMatchObject({
      rows: [{ machine: "laptop", own: true, online: true, control: "off", problem: line }],
    });
    await run(screen, await host.thread(screen), { say: "alone" });
  });
});
