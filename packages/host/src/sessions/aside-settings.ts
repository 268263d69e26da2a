// Lists settings that commands of a thread made and that were put aside, and keeps or drops them, because a person said so.
import { realpathSync } from "node:fs";
import { join, relative } from "node:path";
import type { AsideFile, AsideRow, ThreadRow } from "@signalbox/protocol";
import { type AsideRecord, AsideStore, isInside, settleMadeSettings } from "@signalbox/sandbox";
import { HostError } from "../data/host-error.ts";
import type { SessionServices } from "./session-services.ts";

type Services = Pick<SessionServices, "folder">;
type Thread = Pick<ThreadRow, "cwd" | "additional_directories">;

/** Of each file the beginning is shown. */
const maxShown = 20_000;

export function listAside(services: Services, thread: Thread): AsideRow[] {
  const store = openStore(services);
  const [cwd = thread.cwd] = listFolders(thread);
  return findRecords(store, thread).map((record) => {
    const where = join(record.folder, record.path);
    const contents = store.readContents(record);
    return {
      aside_id: record.id,
      path: isInside(where, cwd) ? relative(cwd, where) : where,
      rule: record.rule,
      made_at: record.made_at,
      digest: record.digest,
      files: record.entries.map((entry, index) => describeFile(entry, contents[index] ?? null)),
    };
  });
}

/** Throws where it is gone, or not what was shown. */
export function keepAside(services: Services, thread: Thread, id: string, digest: string): { readonly path: string } {
  const store = openStore(services);
  const { path } = findRecord(store, thread, id);
  const result = store.keep(id, digest);
  if (result.type === "refused") throw new HostError("conflict", result.reason);
  return { path };
}

export function dropAside(services: Services, thread: Thread, id: string): void {
  const store = openStore(services);
  store.drop(findRecord(store, thread, id).id);
}

/** Puts aside what commands made that still run when a turn ends, or a whole agent inside. */
export function settleAside(thread: Thread): void {
  for (const folder of listFolders(thread)) settleMadeSettings(folder);
}

function openStore({ folder }: Services): AsideStore {
  return new AsideStore(folder.path);
}

function findRecords(store: AsideStore, thread: Thread): readonly AsideRecord[] {
  const folders = listFolders(thread);
  return store.list().filter((record) => folders.includes(record.folder));
}

function findRecord(store: AsideStore, thread: Thread, id: string): AsideRecord {
  const record = findRecords(store, thread).find((each) => each.id === id);
  if (record === undefined) throw new HostError("not_found", "It was kept or dropped already.");
  return record;
}

function listFolders({ cwd, additional_directories }: Thread): readonly string[] {
  return [cwd, ...(additional_directories ?? [])].flatMap((folder) => {
    try {
      return [realpathSync(folder)];
    } catch {
      return []; // it was removed
    }
  });
}

function describeFile(entry: AsideRecord["entries"][number], content: Buffer | null): AsideFile {
  const path = Buffer.from(entry.path, "latin1").toString();
  if (entry.type === "link")
    return { path, size: 0, is_program: false, text: null, link: Buffer.from(entry.target, "latin1").toString() };
  const { size, mode } = entry;
  const isText = content !== null && !content.includes(0);
  return {
    path,
    size,
    is_program: (mode & 0o111) !== 0,
    text: isText ? content.toString().slice(0, maxShown) : null,
    link: null,
  };
}
