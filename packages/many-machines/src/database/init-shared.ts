// Prepares the shared database for a role with few rights: the tables, the role, and what it may see. Run by the owner, once for each role.
import { parseAddress } from "./address.ts";
import { connect } from "./connection.ts";
import { listGrants } from "./row-security.ts";
import { prepareSchema } from "./schema.ts";

interface InitOptions {
  readonly url: string;
  /** Without a role, only the tables are created. */
  readonly role: string | undefined;
  /** The role may see these machines and folders besides its own; everything if both are empty. */
  readonly machines: readonly string[];
  readonly folders: readonly string[];
}

/** Returns a sentence for each thing that was done. Throws a SharedError. */
export async function initShared({ url, role, machines, folders }: InitOptions): Promise<readonly string[]> {
  const address = parseAddress(url);
  const connection = await connect(address, "signalbox shared init", new AbortController().signal);
  try {
    await prepareSchema(connection);
    const done = [`The tables are in ${address.shown}, in the schema signalbox.`];
    if (role === undefined) return done;
    const quoted = `"${role.replaceAll('"', '""')}"`;
    const known = await connection.query("SELECT 1 FROM pg_roles WHERE rolname = $1", [role]);
    return await connection.transaction(async () => {
      if (known.length === 0) await connection.query(`CREATE ROLE ${quoted} LOGIN`);
      for (const grant of listGrants(quoted)) await connection.query(grant);
      await connection.query("DELETE FROM signalbox.access WHERE role = $1", [role]);
      const seen = [
        ...machines.map((machine) => [machine, null]),
        ...folders.map((folder) => [null, folder.replace(/(?<=.)\/+$/, "")]),
      ];
      for (const [machine, folder] of seen.length === 0 ? [[null, null]] : seen)
        await connection.query("INSERT INTO signalbox.access(role, machine, folder) VALUES ($1, $2, $3)", [
          role,
          machine,
          folder,
        ]);
      const sees = [...machines.map((machine) => `machine ${machine}`), ...folders.map((folder) => `folder ${folder}`)];
      return [
        ...done,
        known.length === 0
          ? `The role ${role} is new. Give it a password: ALTER ROLE ${quoted} PASSWORD '…'`
          : `The role ${role} has its rights.`,
        `It writes for its own machines, and sees those and ${sees.length === 0 ? "all others" : sees.join(", ")}.`,
      ];
    });
  } finally {
    await connection.close();
  }
}
