// What every agent's changes must allow, seen from outside: listed with who made them, shown, put back after a dry run, and the restore undone.
import { existsSync, readFileSync } from "node:fs";
import { expect } from "vitest";
import type { AgentDrive } from "./agent-drive.ts";

/** Path, status and source of each file that a turn changed. */
export async function changesOf(drive: AgentDrive, turnId: string): Promise<readonly (readonly string[])[]> {
  const { rows } = await drive.screen.query("changes.list", { thread_id: drive.threadId, turn_id: turnId });
  return rows.map(({ path, status, source }) => [path, status, source]);
}

/** The lines of a file's hunks. */
export async function hunksOf(drive: AgentDrive, turnId: string, path: string): Promise<readonly string[]> {
  const args = { thread_id: drive.threadId, turn_id: turnId, path };
  const { rows } = await drive.screen.query("changes.diff", args);
  return rows[0]?.hunks?.flatMap(({ lines }) => lines) ?? [];
}

/** Puts the turn's files back, checks that they are as in `before`, and undoes it. Null stands for a file that is not there. */
export async function putBackAndUndo(
  drive: AgentDrive,
  turnId: string,
  before: Readonly<Record<string, string | null>>,
): Promise<void> {
  const contents = () =>
    Object.fromEntries(
      Object.keys(before).map((path) => {
        const file = drive.work.in(path);
        return [path, existsSync(file) ? readFileSync(file, "utf8") : null];
      }),
    );
  const after = contents();
  const paths = Object.keys(before).toSorted();
  const dry = await restore(drive, { to_turn_id: turnId, dry_run: true });
  expect(dry).toMatchObject({ restored: paths, conflicts: [] });
  expect(contents()).toEqual(after);
  const done = await restore(drive, { to_turn_id: turnId });
  expect(done).toMatchObject({ restored: paths, conflicts: [] });
  expect(contents()).toEqual(before);
  await restore(drive, { to_turn_id: done.turn_id ?? "" });
  expect(contents()).toEqual(after);
}

function restore(drive: AgentDrive, params: { readonly to_turn_id: string; readonly dry_run?: boolean }) {
  return drive.screen.ask("changes.restore", { thread_id: drive.threadId, ...params });
}
