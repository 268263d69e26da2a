// Removes the threads of a machine that is no longer used. A person runs this: a running host applies `shared.retention_days` itself.
import { parseAddress } from "./address.ts";
import { connect } from "./connection.ts";
import { readBoolean, readText } from "./fields.ts";
import { prepareSchema } from "./schema.ts";
import { SharedError } from "./shared-error.ts";
import { removeThreads } from "./thread-removal.ts";

const pageSize = 1000;

interface RemoveOptions {
  readonly url: string;
  readonly machine: string;
  /** Only threads without activity since then; undefined: all, and the machine's name. */
  readonly before: number | undefined;
}

/** Returns how many threads were removed. Throws a SharedError, also if the machine is online. */
export async function removeMachine({ url, machine, before }: RemoveOptions): Promise<number> {
  const connection = await connect(parseAddress(url), "signalbox shared remove", new AbortController().signal);
  try {
    await prepareSchema(connection);
    const [found] = await connection.query(
      "SELECT online_until > now() AS online FROM signalbox.machines WHERE machine = $1",
      [machine],
    );
    if (found === undefined) throw new SharedError("refused", `there is no machine ${machine}.`);
    if (readBoolean(found, "online"))
      throw new SharedError(
        "refused",
        `${machine} is running, and would share it again. Stop it, or set shared.retention_days or shared.folders there.`,
      );
    for (let removed = 0; ; ) {
      const rows = await connection.query(
        "SELECT thread_id FROM signalbox.threads WHERE machine = $1 AND updated_at < $2 LIMIT $3",
        [machine, before ?? Number.MAX_SAFE_INTEGER, pageSize],
      );
      const ids = rows.map((row) => readText(row, "thread_id"));
      await removeThreads(connection, machine, ids);
      removed += ids.length;
      if (ids.length < pageSize) {
        if (before === undefined)
          await connection.query("DELETE FROM signalbox.machines WHERE machine = $1", [machine]);
        return removed;
      }
    }
  } finally {
    await connection.close();
  }
}
