// Declares who may see and write which rows of the shared database. The owner of the tables may do everything; any other role writes only for
// machines whose name it took, and sees those and what the table `access` gives it, by machine or by folder.

/** Tables whose rows belong to a thread. A role that may see the thread may see them. */
const ofThreads = ["events", "items", "tool_calls", "turns", "blob_uses"] as const;

const tables = ["machines", "threads", ...ofThreads, "blob_pieces", "commands", "access"] as const;

function makeThreadPolicies(table: string): string {
  return `
CREATE POLICY read ON signalbox.${table} FOR SELECT USING (signalbox.is_own(machine) OR EXISTS (
  SELECT 1 FROM signalbox.threads AS t WHERE t.machine = ${table}.machine AND t.thread_id = ${table}.thread_id));
CREATE POLICY write ON signalbox.${table} USING (signalbox.is_own(machine)) WITH CHECK (signalbox.is_own(machine));`;
}

export const rowSecurity = `
-- What a role may see besides its own machines; null stands for all.
CREATE TABLE signalbox.access(role name NOT NULL, machine text, folder text);
CREATE UNIQUE INDEX access_once ON signalbox.access(role, coalesce(machine, ''), coalesce(folder, ''));

CREATE FUNCTION signalbox.is_own(text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT 1 FROM signalbox.machines AS m WHERE m.machine = $1 AND m.role = current_user) $$;
CREATE FUNCTION signalbox.may_read(text, text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT EXISTS (SELECT 1 FROM signalbox.access AS a JOIN pg_roles AS r ON r.rolname = a.role
    WHERE pg_has_role(current_user, r.oid, 'MEMBER')
    AND (a.machine IS NULL OR a.machine = $1) AND (a.folder IS NULL OR a.folder = $2 OR starts_with($2, a.folder || '/'))) $$;

${tables.map((table) => `ALTER TABLE signalbox.${table} ENABLE ROW LEVEL SECURITY;`).join("\n")}

-- Names and presence are for all.
CREATE POLICY read ON signalbox.machines FOR SELECT USING (true);
CREATE POLICY write ON signalbox.machines USING (role = current_user) WITH CHECK (role = current_user);
CREATE POLICY read ON signalbox.access FOR SELECT USING (
  role IN (SELECT r.rolname FROM pg_roles AS r WHERE pg_has_role(current_user, r.oid, 'MEMBER')));
CREATE POLICY read ON signalbox.threads FOR SELECT USING (signalbox.is_own(machine) OR signalbox.may_read(machine, cwd));
CREATE POLICY write ON signalbox.threads USING (signalbox.is_own(machine)) WITH CHECK (signalbox.is_own(machine));
${ofThreads.map(makeThreadPolicies).join("\n")}
CREATE POLICY read ON signalbox.blob_pieces FOR SELECT USING (signalbox.is_own(machine) OR EXISTS (
  SELECT 1 FROM signalbox.blob_uses AS u WHERE u.machine = blob_pieces.machine AND u.hash = blob_pieces.hash));
CREATE POLICY write ON signalbox.blob_pieces USING (signalbox.is_own(machine)) WITH CHECK (signalbox.is_own(machine));
CREATE POLICY send ON signalbox.commands FOR INSERT WITH CHECK (signalbox.is_own(sender));
CREATE POLICY read ON signalbox.commands FOR SELECT USING (signalbox.is_own(machine) OR signalbox.is_own(sender));
CREATE POLICY answer ON signalbox.commands FOR UPDATE USING (signalbox.is_own(machine));
CREATE POLICY remove ON signalbox.commands FOR DELETE USING (signalbox.is_own(machine) OR signalbox.is_own(sender));
`;

/**
 * Keeps one role from breaking the others: the id of a thread belongs to the role that shared it first, and texts that every role parses as
 * JSON must be JSON.
 */
export const againstMembers = `
CREATE FUNCTION signalbox.is_taken(text, text) RETURNS boolean LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog AS $$
  SELECT EXISTS (SELECT 1 FROM signalbox.threads AS t JOIN signalbox.machines AS m ON m.machine = t.machine
    WHERE t.thread_id = $1 AND m.role <> (SELECT o.role FROM signalbox.machines AS o WHERE o.machine = $2)) $$;
DROP POLICY write ON signalbox.threads;
CREATE POLICY write ON signalbox.threads USING (signalbox.is_own(machine))
  WITH CHECK (signalbox.is_own(machine) AND NOT signalbox.is_taken(thread_id, machine));
ALTER TABLE signalbox.tool_calls ADD CHECK (json_typeof(paths::json) = 'array'), ADD CHECK (json_typeof(waits::json) = 'array');
`;

/** The statements that let a role ship and read; `role` is quoted already. */
export function listGrants(role: string): readonly string[] {
  const written = tables.filter((table) => table !== "access").map((table) => `signalbox.${table}`);
  return [
    `GRANT USAGE ON SCHEMA signalbox TO ${role}`,
    `GRANT SELECT ON signalbox.schema_version, signalbox.access TO ${role}`,
    `GRANT SELECT, INSERT, UPDATE, DELETE ON ${written.join(", ")} TO ${role}`,
  ];
}
