// Checks the shared database for `signalbox doctor`: the address, the way there, its version, its tables, the role's rights, the clock.
import { randomUUID } from "node:crypto";
import { messageOf } from "@signalbox/protocol";
import { parseAddress } from "./address.ts";
import { describeClockProblem, measureClockSkew, toSeconds } from "./clock.ts";
import { connect, type Limits, type SharedConnection } from "./connection.ts";
import { type Row, readBoolean, readText } from "./fields.ts";
import { knownVersion, readSchemaVersion } from "./schema.ts";
import { explainTakenName } from "./shared-error.ts";
import { isLongEnough, minKeyLength } from "./signature.ts";

export interface SharedCheck {
  readonly check: "shared" | "shared_tables" | "shared_clock" | "shared_control";
  readonly ok: boolean;
  readonly message: string;
}

interface CheckOptions {
  readonly url: string;
  readonly machine: string;
  readonly control: "off" | "signed";
  readonly key: string | undefined;
  /** Names this data folder, if it was ever shared. */
  readonly owner?: string | null;
  /** The clock of this machine. */
  readonly now?: () => number;
  readonly limits?: Limits;
}

const rightsSql = `SELECT current_setting('server_version') AS version, current_user AS role, pg_is_in_recovery() AS replica,
  has_database_privilege(current_user, current_database(), 'CREATE') AS may_create,
  coalesce(has_table_privilege(current_user, to_regclass('signalbox.events'), 'INSERT'), false) AS may_write`;

/** Never throws: what is wrong is a check that failed. */
export async function checkShared(options: CheckOptions): Promise<readonly SharedCheck[]> {
  const { url, machine, control, key, now, limits } = options;
  try {
    const address = parseAddress(url);
    const signal = new AbortController().signal;
    const connection = await connect(address, `signalbox ${machine} checks`, signal, limits);
    try {
      const [row] = await connection.query(rightsSql);
      const isReplica = readBoolean(row, "replica");
      const skew = await measureClockSkew(connection, now);
      const problem = describeClockProblem(skew);
      return [
        {
          check: "shared",
          ok: !isReplica,
          message: `Shared database: ${address.shown}, PostgreSQL ${readText(row, "version")}, this machine is ${machine}.${isReplica ? " It is a replica, which cannot be written: use the primary's address." : ""}`,
        },
        await reportFailure("shared_tables", "Shared tables", () => checkTables(connection, row, options)),
        {
          check: "shared_clock",
          ok: problem === null,
          message: `Clock: ${problem ?? `${toSeconds(skew)} s from the database's.`}`,
        },
        ...checkControl(control, key),
      ];
    } finally {
      await connection.close();
    }
  } catch (error) {
    return [{ check: "shared", ok: false, message: `Shared database: ${messageOf(error)}` }];
  }
}

async function reportFailure(
  check: SharedCheck["check"],
  title: string,
  run: () => Promise<SharedCheck>,
): Promise<SharedCheck> {
  try {
    return await run();
  } catch (error) {
    return { check, ok: false, message: `${title}: ${messageOf(error)}` };
  }
}

async function checkTables(
  connection: SharedConnection,
  rights: Row | undefined,
  { machine, owner }: CheckOptions,
): Promise<SharedCheck> {
  const version = await readSchemaVersion(connection);
  const role = readText(rights, "role");
  const isAllowed = readBoolean(rights, version === 0 ? "may_create" : "may_write");
  const there = version === 0 ? "not there yet" : `version ${version}`;
  if (!isAllowed) {
    const advice = `The role ${role} may not ${version === 0 ? "create" : "write"} them: \`signalbox shared init --role ${role}\`, as the owner.`;
    return { check: "shared_tables", ok: false, message: `Shared tables: ${there}. ${advice}` };
  }
  if (version === knownVersion) {
    const [known] = await connection.query("SELECT owner FROM signalbox.machines WHERE machine = $1", [machine]);
    if (known !== undefined && readText(known, "owner") !== owner) throw new Error(explainTakenName(machine));
    await tryToWrite(connection);
  }
  return { check: "shared_tables", ok: true, message: `Shared tables: ${there}.` };
}

/** Writes as a host does, and takes it back: a database that is full or read-only answers every question. */
async function tryToWrite(connection: SharedConnection): Promise<void> {
  const name = `doctor-${randomUUID()}`;
  const undo = new Error("taken back");
  await connection
    .transaction(async () => {
      await connection.query(
        "INSERT INTO signalbox.machines(machine, owner, program, control, online_until) VALUES ($1, '', '', 'off', now())",
        [name],
      );
      await connection.query("INSERT INTO signalbox.events VALUES ($1, 'doctor', 1, 0, 'doctor', '{}', NULL)", [name]);
      throw undo;
    })
    .catch((error: unknown) => {
      if (error !== undo) throw error;
    });
}

function checkControl(control: "off" | "signed", key: string | undefined): readonly SharedCheck[] {
  if (control === "off") return [];
  const ok = isLongEnough(key);
  const message = ok
    ? "Commands of other machines are taken when they are signed."
    : `shared.control is "signed", and SIGNALBOX_SHARED_KEY has not ${minKeyLength} characters.`;
  return [{ check: "shared_control", ok, message }];
}
