// Finds the repositories of a policy whose settings commands may change, as far as that is harmless, and keeps their copies.
import { existsSync, lstatSync, watch } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isWritable, plainRules } from "../launch/effective-rules.ts";
import { listNamedPaths, settingsFolder } from "../policy/obeyed-files.ts";
import type { Policy } from "../policy/policy.ts";
import { isLink, unlinkSettings } from "./linked-settings.ts";
import { SettingsCopy } from "./settings-copy.ts";

export interface OpenSettings {
  readonly links: readonly { readonly path: string; readonly target: string }[];
  /** Carries harmless changes over; gives a line for each change that was taken back. */
  readonly settle: () => readonly string[];
  /** To be called when a program outside replaced a guarded file; without the text where a command may have written it. True where the program is to be ended. */
  readonly replaced: (path: string, text: string | undefined) => boolean;
  /**
   * Since the last call: a line for each other guarded file that was replaced, because no list says what is harmless there, and for each path that
   * git obeys because another program changed the settings.
   */
  readonly warnings: () => readonly string[];
  /** Settles for the last time. To be called when the program has ended; more than once does no harm. */
  readonly close: () => readonly string[];
}

/** One for each repository, for all commands of this process. */
const copies = new Map<string, SettingsCopy>();

/** For a program that runs for long: settles whenever something changes. Gives a function that ends that. */
export function settleAlways(
  { links, settle, warnings, close }: OpenSettings,
  onTakenBack: (line: string) => void,
  onWarning: (line: string) => void,
): () => void {
  const settleNow = () => {
    for (const line of settle()) onTakenBack(line);
    for (const line of warnings()) onWarning(line);
  };
  const folders = links.flatMap(({ path, target }) => [dirname(target), join(dirname(path), settingsFolder)]);
  const watches = folders
    .filter((folder) => existsSync(folder))
    .map((folder) => watch(folder, { persistent: false }, settleNow));
  for (const each of watches) each.on("error", () => {}); // the folder is gone: the end of the program settles
  return () => {
    for (const each of watches) each.close();
    for (const line of close()) onTakenBack(line);
    for (const line of warnings()) onWarning(line);
  };
}

export function openSettings(policy: Policy): OpenSettings {
  const temp = policy.rules.find(({ name }) => name === "temp")?.path;
  const found = temp === undefined ? [] : settingsOf(policy).flatMap((path) => copyOf(path, temp));
  for (const copy of found) copy.users++;
  const doubtful = new Set<string>();
  // A guard holds from the beginning of a program: what settings name later has none.
  const named = new Set(found.flatMap(({ path, text }) => listNamedPaths(text, path)));
  const newlyNamed = () =>
    found
      .flatMap(({ path, text }) => listNamedPaths(text, path).map((place) => ({ path, place })))
      .filter(({ place }) => !named.has(place) && isWritable(plainRules(policy), place));
  let isOpen = true;
  const settle = () =>
    found.flatMap((copy) => copy.settle().map((what) => `changing ${copy.path} (${what}) is not allowed`));
  return {
    links: found.map(({ path, target }) => ({ path, target })),
    settle,
    replaced: (path, text) => {
      const copy = found.find((each) => each.path === path);
      if (copy === undefined) doubtful.add(path);
      return copy?.replaced(text) ?? false;
    },
    warnings: () => {
      const paths = [...doubtful];
      doubtful.clear();
      const places = newlyNamed();
      for (const { place } of places) named.add(place);
      return [
        ...paths.map(
          (path) =>
            `${path} was replaced by another program, and the command could write it for a moment: look at it before you use it`,
        ),
        ...places.map(
          ({ path, place }) =>
            `${path} names ${place} since another program changed it, and the command could write that until it ended: look at it before you use git`,
        ),
      ];
    },
    close: () => {
      if (!isOpen) return [];
      isOpen = false;
      for (const copy of found) copy.checkAgain();
      const lines = settle();
      for (const copy of found) copy.users--;
      return lines;
    },
  };
}

/** For a sandbox that guards no links: the settings are a plain file again. */
export function closeSettings(policy: Policy): void {
  for (const path of settingsOf(policy)) unlinkSettings(path);
}

function copyOf(path: string, temp: string): readonly SettingsCopy[] {
  const known = copies.get(path);
  if (known?.refresh() === true) return [known];
  if (known !== undefined && known.users > 0) return []; // closed for this command: what is there now may be another one's work
  known?.close();
  copies.delete(path);
  const made = SettingsCopy.make(path, temp);
  if (made === undefined) return [];
  copies.set(path, made);
  return [made];
}

/** Of a repository that lies in the workspace itself: a linked work tree has none there, and a link may lead anywhere. */
function settingsOf(policy: Policy): readonly string[] {
  return policy.rules
    .filter(({ name, guard, path }) => name === "git-internals" && guard !== undefined && basename(path) === "config")
    .map(({ path }) => path)
    .filter((path) => lstatSync(dirname(path), { throwIfNoEntry: false })?.isDirectory() === true)
    .filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isFile() === true || isLink(path));
}
