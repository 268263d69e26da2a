// Finds the repositories of a policy whose settings commands may change, as far as that is harmless, and keeps their copies.
import { lstatSync, watch } from "node:fs";
import { basename, dirname } from "node:path";
import type { Policy } from "../policy/policy.ts";
import { SettingsCopy } from "./settings-copy.ts";

export interface OpenSettings {
  readonly links: readonly { readonly path: string; readonly target: string }[];
  /** Carries harmless changes over; gives a line for each change that was taken back. */
  readonly settle: () => readonly string[];
}

/** One for each repository, for all commands of this process. */
const copies = new Map<string, SettingsCopy>();

/** For a program that runs for long: settles whenever something changes. Gives a function that ends that. */
export function settleAlways({ links, settle }: OpenSettings, onTakenBack: (line: string) => void): () => void {
  const settleNow = () => {
    for (const line of settle()) onTakenBack(line);
  };
  const watches = links.map(({ target }) => watch(dirname(target), { persistent: false }, settleNow));
  for (const each of watches) each.on("error", () => {}); // the folder is gone: the end of the program settles
  return () => {
    for (const each of watches) each.close();
    settleNow();
  };
}

export function openSettings(policy: Policy): OpenSettings {
  const temp = policy.rules.find(({ name }) => name === "temp")?.path;
  const found = temp === undefined ? [] : settingsOf(policy).flatMap((path) => copyOf(path, temp));
  return {
    links: found.map(({ path, target }) => ({ path, target })),
    settle: () =>
      found.flatMap((copy) => copy.settle().map((what) => `changing ${copy.path} (${what}) is not allowed`)),
  };
}

function copyOf(path: string, temp: string): readonly SettingsCopy[] {
  const known = copies.get(path);
  if (known?.refresh() === true) return [known];
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
    .filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isFile() === true);
}
