// Puts aside settings that a sandboxed command made and that programs outside would obey. A mount closes those that are there when a command starts; no mount
// can close a missing path. So the missing ones are remembered, and what is found there when the command or the turn ends is moved to the data folder.
import { isUtf8 } from "node:buffer";
import { randomUUID } from "node:crypto";
import { chmodSync, closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { messageOf } from "@signalbox/base";
import { FolderEntries } from "../files/folder-entries.ts";
import { type PresentPaths, presentPaths } from "../launch/present-paths.ts";
import { guardRules, listEditorWorkspaces } from "../policy/obeyed-files.ts";
import { isInside, type Policy, type Rule, type RuleName } from "../policy/policy.ts";
import { type AsideRecord, AsideStore, readTree, type SettingsTree, treeLimits } from "./aside-store.ts";

/** A setting that was put aside: stored, or renamed in its folder where it cannot be stored: it is too big or too deep, or its name is not text. `left`: not even that was possible. */
export type PutAside = { readonly path: string; readonly rule: RuleName } & (
  | { readonly type: "stored"; readonly id: string; readonly digest: string }
  | { readonly type: "renamed"; readonly to: string }
  | { readonly type: "left"; readonly reason: string }
);

/** A sentence for the model and the person. */
export function describePutAside(aside: PutAside): string {
  const { path, rule } = aside;
  const why = `making ${path} is not allowed: programs outside would obey it (rule ${rule})`;
  switch (aside.type) {
    case "stored":
      return `${why}. It was put aside; the person can look at it and keep it, in Changes or with signalbox aside`;
    case "renamed":
      return `${why}. It is called ${basename(aside.to)} now; the person can look at it and give it its name again`;
    case "left":
      return `${why}. It could not be put aside (${aside.reason}): look at it before you use the folder`;
  }
}

export interface MadeSettings {
  /** Puts aside what is there by now. */
  settle(): readonly PutAside[];
  /** The same, for the last time: the command has ended. A second call does nothing. */
  close(): readonly PutAside[];
}

/**
 * The settings of one folder, while commands run that could make them. All commands of this process share it: one that begins after another has made a file
 * must not take it for one that was always there.
 */
interface WatchedFolder extends SettingsFolder {
  /** The name of the note that a later process finds if this one is killed. */
  readonly note: string;
  commands: number;
}

/** Where settings can be in a folder. */
interface SettingPlaces {
  readonly rules: readonly Rule[];
  readonly present: PresentPaths<Rule>;
  /** The folders on the way to them. */
  readonly above: readonly string[];
}

/** A folder with what was there before. */
interface SettingsFolder extends SettingPlaces {
  readonly folder: string;
  readonly store: AsideStore;
  /** Paths of rules that were missing at some time since the first command began. */
  readonly missing: Set<string>;
  /** Folders on the way to a setting that are links, with their targets. */
  readonly links: ReadonlyMap<string, string>;
  /** Their names: bytes, one in each character. */
  readonly editorWorkspaces: ReadonlySet<string>;
}

const watched = new Map<string, WatchedFolder>();
const settingRules: ReadonlySet<RuleName> = new Set(["project-settings", "editor-settings", "shell-start-up"]);
const nothing: MadeSettings = { settle: () => [], close: () => [] };

/** To be called before the command starts. On macOS the profile closes missing paths too. */
export function watchMadeSettings(policy: Policy): MadeSettings {
  const data = policy.rules.find(({ name }) => name === "own-data")?.path;
  if (process.platform !== "linux" || data === undefined) return nothing;
  const keys = policy.rules
    .filter(({ name, access }) => name === "workspace" && access === "write")
    .map(({ path }) => openFolder(policy, path, data));
  let isOpen = true;
  const settle = () => (isOpen ? keys.flatMap((key) => settleFolder(watched.get(key))) : []);
  return {
    settle,
    close: () => {
      const aside = settle();
      if (isOpen) for (const key of keys) closeFolder(key);
      isOpen = false;
      return aside;
    },
  };
}

/** Puts aside what commands that still run have made in this folder, or in all. */
export function settleMadeSettings(folder = "/"): readonly PutAside[] {
  return [...watched.values()].filter((each) => isInside(each.folder, folder)).flatMap(settleFolder);
}

/** Puts aside what commands had made when an earlier process was killed: they ended with it. */
export function settleLeftovers(data: string): readonly PutAside[] {
  const store = new AsideStore(data);
  return store.takeNotes().flatMap((note) => {
    const places = listPlaces(guardRules(note.folder), note.folder);
    const present = new Set(note.present);
    const missing = places.rules.filter(({ path }) => !present.has(path)).map(({ path }) => path);
    return settleFolder({
      ...places,
      folder: note.folder,
      store,
      missing: new Set(missing),
      links: new Map(note.links),
      editorWorkspaces: new Set(note.editorWorkspaces),
    });
  });
}

function openFolder(policy: Policy, folder: string, data: string): string {
  const key = `${data}\0${folder}`;
  const known = watched.get(key) ?? beginFolder(policy, folder, data);
  known.commands++;
  rememberMissing(known);
  watched.set(key, known);
  return key;
}

function closeFolder(key: string): void {
  const known = watched.get(key);
  if (known === undefined || --known.commands > 0) return;
  known.store.removeNote(known.note);
  watched.delete(key);
}

function beginFolder(policy: Policy, folder: string, data: string): WatchedFolder {
  const places = findPlaces(policy, folder);
  const { present, above } = places;
  const store = new AsideStore(data);
  const links = above.flatMap((path) => {
    const target = readTarget(path);
    return target === undefined ? [] : [[path, target] as const];
  });
  const editorWorkspaces = listEditorWorkspaces(folder).map((name) => name.toString("latin1"));
  const note = store.addNote({ folder, present: present().map(({ path }) => path), links, editorWorkspaces });
  return {
    ...places,
    folder,
    store,
    missing: new Set(),
    links: new Map(links),
    editorWorkspaces: new Set(editorWorkspaces),
    note,
    commands: 0,
  };
}

/** A policy never changes. */
const knownPlaces = new WeakMap<Policy, Map<string, SettingPlaces>>();

function findPlaces(policy: Policy, folder: string): SettingPlaces {
  const known = knownPlaces.get(policy) ?? new Map<string, SettingPlaces>();
  knownPlaces.set(policy, known);
  const places = known.get(folder) ?? listPlaces(policy.rules, folder);
  known.set(folder, places);
  return places;
}

function listPlaces(all: readonly Rule[], folder: string): SettingPlaces {
  const rules = all.filter(
    ({ path, guard, name }) => guard !== undefined && settingRules.has(name) && isInside(path, folder),
  );
  return { rules, present: presentPaths(rules), above: listFoldersAbove(rules, folder) };
}

function rememberMissing({ rules, present, missing }: SettingsFolder): readonly Rule[] {
  const found = present();
  const paths = new Set(found.map(({ path }) => path));
  for (const { path } of rules) if (!paths.has(path)) missing.add(path);
  return found;
}

function settleFolder(watchedFolder: SettingsFolder | undefined): readonly PutAside[] {
  if (watchedFolder === undefined) return [];
  const { folder, missing, links, rules, above } = watchedFolder;
  // A link decides what every setting behind it is, now or later, so it is taken itself.
  const newLinks = above.filter((path) => {
    const target = readTarget(path);
    return target !== undefined && links.get(path) !== target;
  });
  const aside = newLinks.flatMap((path) => putAside(watchedFolder, path, findName(rules, path)));
  const made = rememberMissing(watchedFolder).filter(({ path }) => missing.has(path));
  const editors = listEditorWorkspaces(folder).filter(
    (name) => !watchedFolder.editorWorkspaces.has(name.toString("latin1")),
  );
  return [
    ...aside,
    ...made.flatMap(({ path, name }) => putAside(watchedFolder, followKnownLinks(path), name)),
    ...editors.flatMap((name) => putAside(watchedFolder, join(folder, name.toString()), "editor-settings", name)),
  ];
}

/** Links that were there before lead to where the setting really lies. */
function followKnownLinks(path: string): string {
  try {
    return join(realpathSync(dirname(path)), basename(path));
  } catch {
    return path; // it is gone again
  }
}

/** `bytes` is its path in the folder, in case that is not text. */
function putAside(
  { folder, store }: SettingsFolder,
  where: string,
  rule: RuleName,
  bytes?: Buffer,
): readonly PutAside[] {
  if (where === folder || !isInside(where, folder)) return []; // no command could make it there
  const path = relative(folder, where);
  const at = bytes ?? Buffer.from(path);
  try {
    using entries = new FolderEntries(folder).pinned();
    const status = entries.status(at);
    // Nothing obeys an empty folder.
    if (status === undefined || (status.isDirectory() && isEmpty(entries, at))) return [];
    const kept = store.listKept(where);
    if (kept.length > 0 && kept.includes(tryToRead(entries, at, path)?.digest ?? "")) return [];
    const name = `${basename(path)}.put-aside-${randomUUID().slice(0, 8)}`;
    // From here on nothing obeys it, whatever a command that still runs does with it.
    renameInFolder(entries, folder, at, name);
    const moved = Buffer.from(join(dirname(path), name));
    // A record has its path as text, so a name that is not text cannot come back from the store.
    const tree = isUtf8(at) ? tryToRead(entries, moved, path) : undefined;
    const record = tryToStore(store, { folder, path, rule }, tree);
    if (record === undefined) return [{ type: "renamed", path: where, rule, to: join(dirname(where), name) }];
    removeIfPossible(entries, moved);
    return [{ type: "stored", path: where, rule, id: record.id, digest: record.digest }];
  } catch (error) {
    return [{ type: "left", path: where, rule, reason: messageOf(error) }];
  }
}

function isEmpty(entries: FolderEntries, at: Buffer): boolean {
  try {
    return entries.filesBelow(at, treeLimits)?.length === 0;
  } catch {
    return false; // a folder in it is closed to us
  }
}

function tryToRead(entries: FolderEntries, at: Buffer, path: string): SettingsTree | undefined {
  try {
    return readTree(entries, at, path);
  } catch {
    return undefined;
  }
}

function tryToStore(
  store: AsideStore,
  about: Pick<AsideRecord, "folder" | "path" | "rule">,
  tree: SettingsTree | undefined,
): AsideRecord | undefined {
  try {
    return tree === undefined ? undefined : store.add(about, tree);
  } catch {
    return undefined; // the disk is full
  }
}

/** A command that still runs can add to it. Then a rest stays, under a name that nothing obeys. */
function removeIfPossible(entries: FolderEntries, at: Buffer): void {
  try {
    entries.removeTree(at);
  } catch {}
}

/** A command may have closed the folder to its owner, so that it cannot be changed: then it is opened first. */
function renameInFolder(entries: FolderEntries, folder: string, at: Buffer, name: string): void {
  try {
    entries.rename(at, name);
  } catch {
    openToOwner(folder, dirname(at.toString()));
    entries.rename(at, name);
  }
}

/** The folders of a path, each by its own descriptor, which needs no right to read it. */
function openToOwner(folder: string, path: string): void {
  const descriptors = [openSync(folder, pathOnly)];
  try {
    for (const name of path === "." ? [] : path.split("/")) {
      const descriptor = openSync(`/proc/self/fd/${descriptors.at(-1)}/${name}`, pathOnly);
      descriptors.push(descriptor);
      chmodSync(`/proc/self/fd/${descriptor}`, (fstatSync(descriptor).mode & 0o777) | 0o700);
    }
  } finally {
    for (const descriptor of descriptors) closeSync(descriptor);
  }
}

/** O_PATH, which Node does not name. */
const pathOnly = 0o10000000 | constants.O_DIRECTORY | constants.O_NOFOLLOW;

function listFoldersAbove(rules: readonly Rule[], folder: string): readonly string[] {
  const above = rules.flatMap(({ path }) => {
    const names = relative(folder, path).split("/").slice(0, -1);
    return names.map((_, index) => join(folder, ...names.slice(0, index + 1)));
  });
  return [...new Set(above)].toSorted((a, b) => a.length - b.length);
}

function findName(rules: readonly Rule[], path: string): RuleName {
  return rules.find((rule) => isInside(rule.path, path))?.name ?? "project-settings";
}

function readTarget(path: string): string | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true ? readlinkSync(path) : undefined;
  } catch {
    return undefined;
  }
}
