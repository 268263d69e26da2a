// Checks the shared database for `signalbox doctor`: the address, the way there, its version, its tables, the role's rights, the clock.
import { messageOf } from "@signalbox/protocol";
import { parseAddress } from "./address.ts";
import { connectTo } from "./connection.ts";
import { boolean, integer, text } from "./fields.ts";
import { schemaVersion } from "./schema.ts";
import { isLongEnough, minKeyLength } from "./signature.ts";

/** Commands that are older than five minutes are refused: clocks must agree better than this. */
const maxSkewMs = 30_000;

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
}

const rightsSql = `SELECT current_setting('server_version') AS version, current_user AS role, pg_is_in_recovery() AS replica,
  extract(epoch FROM clock_timestamp()) * 1000 AS clock,
  has_database_privilege(current_user, current_database(), 'CREATE') AS may_create,
  coalesce(has_table_privilege(current_user, to_regclass('signalbox.events'), 'INSERT'), false) AS may_write`;

/** Never throws: what is wrong is a check that failed. */
export async function checkShared({ url, machine, control, key }: CheckOptions): Promise<readonly SharedCheck[]> {
  try {
    const address = parseAddress(url);
    const connection = await connectTo(address, `signalbox ${machine} checks`, new AbortController().signal);
    try {
      const before = Date.now();
      const [row] = await connection.query(rightsSql);
      const skew = integer(row, "clock") - (before + Date.now()) / 2;
      const isReplica = boolean(row, "replica");
      const tables = await schemaVersion(connection).then(
        (version) => tablesCheck(version, boolean(row, "may_create"), boolean(row, "may_write"), text(row, "role")),
        (error: unknown): SharedCheck => ({
          check: "shared_tables",
          ok: false,
          message: `Shared tables: ${messageOf(error)}`,
        }),
      );
      return [
        {
          check: "shared",
          ok: !isReplica,
          message: `Shared database: ${address.shown}, PostgreSQL ${text(row, "version")}, this machine is ${machine}.${isReplica ? " It is a replica, which cannot be written: use the primary's address." : ""}`,
        },
        tables,
        {
          check: "shared_clock",
          ok: Math.abs(skew) <= maxSkewMs,
          message: `Clock: ${Math.abs(Math.round(skew / 100) / 10)} s from the database's.${Math.abs(skew) <= maxSkewMs ? "" : " Set it: commands between machines are refused when clocks differ."}`,
        },
        ...controlChecks(control, key),
      ];
    } finally {
      await connection.close();
    }
  } catch (error) {
    return [{ check: "shared", ok: false, message: `Shared database: ${messageOf(error)}` }];
  }
}

function tablesCheck(version: number, mayCreate: boolean, mayWrite: boolean, role: string): SharedCheck {
  const ok = version === 0 ? mayCreate : mayWrite;
  const there = version === 0 ? "not there yet" : `version ${version}`;
  const advice = `The role ${role} may not ${version === 0 ? "create" : "write"} them: \`signalbox shared init --role ${role}\`, as the owner.`;
  return { check: "shared_tables", ok, message: `Shared tables: ${there}.${ok ? "" : ` ${advice}`}` };
}

function controlChecks(control: "off" | "signed", key: string | undefined): readonly SharedCheck[] {
  if (control === "off") return [];
  const ok = isLongEnough(key);
  const message = ok
    ? "Commands of other machines are taken when they are signed."
    : `shared.control is "signed", and SIGNALBOX_SHARED_KEY has not ${minKeyLength} characters.`;
  return [{ check: "shared_control", ok, message }];
}
