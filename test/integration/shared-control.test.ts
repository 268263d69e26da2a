// Tests that one machine can work on another only with the key that both have, and that each command runs once.
import { createHash } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { checkShared, initShared } from "@signalbox/many-machines/database";
import { describe, expect, it } from "vitest";
import { parseAddress } from "../../packages/many-machines/src/database/address.ts";
import { Commands } from "../../packages/many-machines/src/database/commands.ts";
import { SharedReader } from "../../packages/many-machines/src/database/shared-reader.ts";
import { type Command, signCommand } from "../../packages/many-machines/src/database/signature.ts";
import { runProgram, TemporaryFolder } from "../support/host-process.ts";
import { sharedPostgres } from "../support/shared-postgres.ts";
import { SharingMachine } from "../support/sharing-machine.ts";

const key = "a key that both machines have";
const postgres = await sharedPostgres();

it("events that another machine forged are refused with a reason, however big or odd they are", async () => {
  using folder = new TemporaryFolder();
  const url = await postgres.database();
  await using machine = await SharingMachine.start({ folder: folder.path, url, machine: "desktop", key });
  await expect.poll(() => machine.sharing.isConnected).toBe(true);
  const hash = "0".repeat(64);
  const forged = [
    ["big", "repeat('x', 70000000)", null, "more than 64 MB"],
    ["wrong bytes", `'{"a": {"$blob": "${hash}", "size": 1}}'`, '["/a"]', "other bytes"],
    ["no blob", `'{"a": 1}'`, '["/a"]', "names no blob"],
    ["odd place", `'{"a": 1}'`, '["/__proto__/x"]', "names no blob"],
    ["no place", `'{"a": 1}'`, "{", "JSON"],
  ] as const;
  for (const [id, payload, refs] of forged) {
    const sql = `INSERT INTO signalbox.events(machine, thread_id, seq, ts, kind, payload, refs) VALUES ('evil', $1, 1, 1, 'fact', ${payload}, $2)`;
    await postgres.run(url, sql, [id, refs]);
  }
  await postgres.run(url, `INSERT INTO signalbox.blob_pieces VALUES ('evil', '${hash}', 0, 'other')`);
  const reader = new SharedReader(parseAddress(url), "desktop");
  for (const [id, , , problem] of forged)
    expect([id, await reader.readEvents("evil", id, 0, 500).catch(String)]).toEqual([
      id,
      expect.stringContaining(problem),
    ]);
  expect(await reader.readEvents("evil", "none", 0, 500)).toEqual([]);
  // A text under its right hash, which any number of pieces may have.
  const right = createHash("sha256").update("xy").digest("hex");
  await postgres.run(
    url,
    `INSERT INTO signalbox.blob_pieces VALUES ('evil', '${right}', 0, 'x'), ('evil', '${right}', 1, 'y')`,
  );
  await postgres.run(url, `INSERT INTO signalbox.blob_uses VALUES ('evil', 't', '${right}', 1)`);
  const strict = new SharedReader(parseAddress(url), "desktop", 1);
  expect([await reader.readBlob(right), await strict.readBlob(right)]).toEqual([Buffer.from("xy"), null]);
  await strict.close();
  await reader.close();
});

describe("a row in the table of commands", () => {
  const insert = (url: string, { id, machine, sender, threadId, kind, body, sentAt }: Command, signature: Buffer) =>
    postgres.run(
      url,
      "INSERT INTO signalbox.commands(id, machine, sender, thread_id, kind, body, sent_at, signature) VALUES ($1, $2, $3, $4, $5, $6, $7, $8)",
      [id, machine, sender, threadId, kind, body, sentAt, signature],
    );
  const command = (number: number, changes: Partial<Command> = {}): Command => ({
    id: `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`,
    machine: "desktop",
    sender: "laptop",
    threadId: "t",
    kind: "run.cancel",
    body: "{}",
    sentAt: Date.now(),
    ...changes,
  });

  it("is run once where its signature fits, and otherwise never: forged, changed, replayed, old, or for another machine", async () => {
    using folder = new TemporaryFolder();
    const url = await postgres.database();
    const ran: string[] = [];
    const start = async () => {
      const machine = await SharingMachine.start({ folder: folder.path, url, machine: "desktop", key });
      machine.sharing.commands.startReceiving(async ({ id }) => `"${ran.push(id)}"`);
      await expect.poll(() => machine.sharing.isConnected).toBe(true);
      return machine;
    };
    const settle = async (machine: SharingMachine) => {
      await machine.sharing.commands.receive();
      await expect
        .poll(() => postgres.run(url, "SELECT 1 FROM signalbox.commands WHERE answered_at IS NULL"))
        .toEqual([]);
    };
    const good = command(1);
    {
      await using machine = await start();
      await insert(url, good, signCommand(key, good));
      const changed = command(2);
      await insert(url, { ...changed, body: '{"rm":"-rf"}' }, signCommand(key, changed));
      await insert(url, command(3), signCommand("another key, which is wrong", command(3)));
      await insert(url, command(4), Buffer.alloc(32));
      await insert(url, { ...good, id: command(5).id }, signCommand(key, good));
      const old = command(6, { sentAt: Date.now() - 6 * 60_000 });
      await insert(url, old, signCommand(key, old));
      const future = command(7, { sentAt: Date.now() + 10 * 60_000 });
      await insert(url, future, signCommand(key, future));
      const elsewhere = command(8, { machine: "server" });
      await insert(url, { ...elsewhere, machine: "desktop" }, signCommand(key, elsewhere));
      await settle(machine);
      expect(ran).toEqual([good.id]);
      await postgres.run(url, "DELETE FROM signalbox.commands");
      await insert(url, good, signCommand(key, good));
      await settle(machine);
    }
    // Also not by a process that starts later.
    await using machine = await start();
    await postgres.run(url, "DELETE FROM signalbox.commands");
    await insert(url, good, signCommand(key, good));
    await settle(machine);
    expect(ran).toEqual([good.id]);
  });

  it("is answered in every case: refused without the key, with another one, by a machine that is off or that does not answer", async () => {
    using one = new TemporaryFolder();
    using two = new TemporaryFolder();
    using three = new TemporaryFolder();
    const url = await postgres.database();
    await using closed = await SharingMachine.start({ folder: three.path, url, machine: "closed" });
    const desktop = await SharingMachine.start({ folder: one.path, url, machine: "desktop", key });
    await using laptop = await SharingMachine.start({ folder: two.path, url, machine: "laptop", key });
    for (const { sharing } of [closed, desktop, laptop]) await expect.poll(() => sharing.isConnected).toBe(true);
    const request = { threadId: "t", kind: "run.cancel", body: "{}" };
    const { commands, reader } = laptop.sharing;
    expect(await commands.send("closed", request)).toMatchObject({
      type: "unauthorized",
      reason: expect.stringContaining("closed"),
    });
    expect(await closed.sharing.commands.send("desktop", request)).toMatchObject({ type: "unauthorized" });
    desktop.sharing.commands.startReceiving(async () => "done");
    const query = (sql: string, values: readonly unknown[]) => reader.query(sql, values);
    const other = new Commands({
      machine: "laptop",
      key: "another key, which is wrong",
      positions: laptop.positions,
      query,
    });
    expect(await other.send("desktop", request)).toMatchObject({
      type: "unauthorized",
      reason: expect.stringContaining("desktop"),
    });
    expect(await commands.send("desktop", request)).toEqual({ type: "answered", answer: "done" });
    desktop.sharing.commands.startReceiving(() => wait(60_000, "late", { ref: false }));
    const impatient = new Commands({ machine: "laptop", key, positions: laptop.positions, query, answerMs: 300 });
    expect(await impatient.send("desktop", request)).toMatchObject({ type: "unavailable" });
    await desktop[Symbol.asyncDispose]();
    expect(await commands.send("desktop", request)).toMatchObject({ type: "unavailable", reason: "desktop is off" });
  });
});

describe("roles", () => {
  it("write only for their own machines, and see only the machines and folders that they were given", async () => {
    using annas = new TemporaryFolder();
    using guests = new TemporaryFolder();
    const url = await postgres.database();
    const database = url.split("/").at(-1) ?? "";
    const as = (role: string) => postgres.address(database, role);
    const { code, stdout } = await runProgram(["shared", "init", "--role", "anna"], { SIGNALBOX_SHARED_URL: url });
    expect([code, stdout]).toEqual([0, expect.stringContaining("The role anna is new.")]);
    const help = await runProgram(["shared"]);
    expect([help.code, help.stdout]).toEqual([0, expect.stringMatching(/^Usage: signalbox shared init/)]);
    await initShared({ url, role: "guest", machines: [], folders: ["/open/"] });
    await using anna = await SharingMachine.start({ folder: annas.path, url: as("anna"), machine: "annas" });
    await anna.thread("/secret", "hidden words");
    await anna.thread("/open/part", "public words");
    await anna.thread("/opened", "also hidden");
    await using guest = await SharingMachine.start({ folder: guests.path, url: as("guest"), machine: "guests" });
    await guest.thread("/elsewhere", "the guest's own");
    const count = async () => (await postgres.run(url, "SELECT count(*)::int AS n FROM signalbox.threads"))[0]?.n;
    await expect.poll(async () => await count().catch(() => 0)).toBe(4);
    expect([anna.lines, guest.lines]).toEqual([[], []]);
    const seen = async (role: string) =>
      (
        await postgres.run(
          as(role),
          "SELECT DISTINCT t.cwd FROM signalbox.threads AS t JOIN signalbox.events AS e USING (machine, thread_id) ORDER BY 1",
        )
      ).map(({ cwd }) => cwd);
    expect(await seen("anna")).toEqual(["/elsewhere", "/open/part", "/opened", "/secret"]);
    expect(await seen("guest")).toEqual(["/elsewhere", "/open/part"]);
    for (const table of ["events", "items", "blob_uses", "threads"]) {
      const [own] = await postgres.run(
        as("guest"),
        `SELECT count(DISTINCT thread_id)::int AS n FROM signalbox.${table}`,
      );
      expect([table, own?.n]).toEqual([table, 2]);
    }
    const pieces = "SELECT count(*)::int AS n FROM signalbox.blob_pieces";
    expect([await postgres.run(as("guest"), pieces), await postgres.run(as("anna"), pieces)]).toEqual([
      [{ n: 2 }],
      [{ n: 4 }],
    ]);
    // Nothing of another machine can be changed, and no command sent in its name.
    expect(await postgres.run(as("guest"), "DELETE FROM signalbox.events WHERE machine = 'annas' RETURNING 1")).toEqual(
      [],
    );
    expect(
      await postgres.run(as("guest"), "UPDATE signalbox.machines SET owner = 'x' WHERE machine = 'annas' RETURNING 1"),
    ).toEqual([]);
    const forged =
      "INSERT INTO signalbox.commands(id, machine, sender, kind, body, sent_at, signature) VALUES (gen_random_uuid(), 'guests', 'annas', 'x', '', 0, '')";
    await expect(postgres.run(as("guest"), forged)).rejects.toThrow(/row-level security/);
    await expect(
      postgres.run(as("guest"), "INSERT INTO signalbox.access VALUES ('guest', NULL, NULL)"),
    ).rejects.toThrow(/permission denied/);
    // Nor does a thread of its own under another's id, a row that is none, or other bytes for a hash stand in for what another machine shared.
    const [hidden] = await postgres.run(url, "SELECT thread_id FROM signalbox.threads WHERE cwd = '/open/part'");
    const thread = (id: unknown, row: string) =>
      postgres.run(
        as("guest"),
        "INSERT INTO signalbox.threads VALUES ('guests', $1, 1, 1, '', 'a', '/w', NULL, 'idle', false, 9e15, now(), $2)",
        [id, row],
      );
    await expect(thread(hidden?.thread_id, "{}")).rejects.toThrow(/row-level security/);
    const call =
      "INSERT INTO signalbox.tool_calls VALUES ('guests', 't', 1, 'read', NULL, 'completed', 1, 1, 0, 'no JSON')";
    await expect(postgres.run(as("guest"), call)).rejects.toThrow(/json/);
    await thread("no-json", "no JSON");
    await thread("no-thread", '{"cost":{"amount":"x"},"waiting":"many"}');
    const reader = new SharedReader(parseAddress(as("anna")), "other");
    const listed = await reader.listThreads({}, [Number.MAX_SAFE_INTEGER, ""], 50);
    expect(listed.map(({ row }) => row.cwd).toSorted()).toEqual(["/elsewhere", "/open/part", "/opened", "/secret"]);
    const [use] = await postgres.run(url, "SELECT hash FROM signalbox.blob_uses WHERE machine = 'annas' LIMIT 1");
    const hash = String(use?.hash);
    await postgres.run(
      as("guest"),
      `INSERT INTO signalbox.blob_uses VALUES ('guests', 'a', '${hash}', 4); INSERT INTO signalbox.blob_pieces VALUES ('guests', '${hash}', 0, 'fake')`,
    );
    expect((await reader.readBlob(hash))?.length).toBeGreaterThan(1000);
    await reader.close();
    // The doctor says what a role may and may not.
    const options = { machine: "laptop", control: "signed", key: undefined } as const;
    const checks = async (address: string) =>
      (await checkShared({ url: address, ...options })).map(({ check, ok }) => [check, ok]);
    expect(await checks(as("guest"))).toEqual([
      ["shared", true],
      ["shared_tables", true],
      ["shared_clock", true],
      ["shared_control", false],
    ]);
    await postgres.run(url, "CREATE ROLE passer_by LOGIN");
    expect(await checkShared({ url: as("passer_by"), ...options })).toMatchObject([
      { check: "shared", ok: false, message: expect.stringContaining("signalbox shared init --role") },
    ]);
    expect(await checks("postgres://me@127.0.0.1:1/db")).toEqual([["shared", false]]);
  });
});
