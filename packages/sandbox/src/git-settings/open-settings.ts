// Finds the repositories of a policy whose settings a command may change, as far as that is harmless, and gives it copies of them.
import { lstatSync, watch } from "node:fs";
import { basename, dirname } from "node:path";
import { guard, messageOf } from "@signalbox/base";
import type { Policy } from "../policy/policy.ts";
import { describeRestored, restorePlainSettings } from "./restore-plain-settings.ts";
import { SettingsCopy } from "./settings-copy.ts";

export interface OpenSettings {
  readonly links: readonly { readonly path: string; readonly target: string }[];
  /** Carries harmless changes over; gives a sentence for each change that was not. */
  settle(): Promise<readonly string[]>;
  /** Whether another program replaced a file, with settings that the command may have written. It must be ended then. */
  hasDoubts(): boolean;
  /** Takes doubtful settings back and settles for the last time. To be called when the command has ended; more than once does no harm. */
  close(): Promise<readonly string[]>;
}

export function openSettings(policy: Policy): OpenSettings {
  const temp = policy.rules.find(({ name }) => name === "temp")?.path;
  const copies = temp === undefined ? [] : findSettings(policy).flatMap((path) => makeCopy(path, temp));
  const settle = async () => {
    const lines = copies.map(async (copy) => (await copy.settle()).map((what) => describeDropped(copy.path, what)));
    return (await Promise.all(lines)).flat();
  };
  let isOpen = true;
  return {
    links: copies.map(({ path, target }) => ({ path, target })),
    settle,
    hasDoubts: () => isOpen && copies.some(isDoubtful),
    close: async () => {
      if (!isOpen) return [];
      isOpen = false;
      const takenBack: string[] = [];
      for (const copy of copies) {
        const doubts = await copy.takeBack();
        if (doubts.length > 0) takenBack.push(describeTakenBack(copy.path, doubts));
      }
      const dropped = await settle();
      for (const copy of copies) copy.close();
      return [...takenBack, ...dropped];
    },
  };
}

/** For a program that runs for long: settles whenever something changes. Gives a function that ends that. */
export function settleAlways(settings: OpenSettings, onNotice: (line: string) => void): () => void {
  const tell = (lines: readonly string[]) => {
    for (const line of lines) onNotice(line);
  };
  const tellFailure = (error: unknown) => tell([`settings of git could not be carried over: ${messageOf(error)}`]);
  const settleNow = guard(tellFailure, async () => tell(await settings.settle()));
  const closeAll = guard(tellFailure, async () => tell(await settings.close()));
  const files = settings.links.flatMap(({ path, target }) => [target, path]);
  const watches = files.map((file) =>
    watch(dirname(file), { persistent: false }, (_, name) => {
      if (name === basename(file)) settleNow();
    }),
  );
  for (const each of watches) each.on("error", () => {}); // the folder is gone: the end of the program settles
  return () => {
    for (const each of watches) each.close();
    closeAll();
  };
}

/** Repositories whose settings an older version of Signalbox made a link get their plain file back. */
export function restoreSettings(policy: Policy): void {
  for (const path of listSettingsPaths(policy))
    if (restorePlainSettings(path)) process.stderr.write(`${describeRestored(path)}\n`);
}

/** A file that cannot be checked counts as doubtful. */
function isDoubtful(copy: SettingsCopy): boolean {
  try {
    return copy.findDoubts().length > 0;
  } catch {
    return true;
  }
}

function describeDropped(path: string, what: string): string {
  return `changing ${path} (${what}) is not allowed: git outside would obey it (rule git-internals). The change was dropped`;
}

function describeTakenBack(path: string, doubts: readonly string[]): string {
  return `another program replaced ${path} while the command ran, which the command could use to write it. So the command was ended, and these settings were made as they were: ${doubts.join(", ")}. If you set them yourself, set them again`;
}

function makeCopy(path: string, temp: string): readonly SettingsCopy[] {
  try {
    return [new SettingsCopy(path, temp)];
  } catch {
    return []; // closed for this command
  }
}

/** Of a repository that lies in the workspace itself: a linked work tree has none there, and a link may lead anywhere. */
function findSettings(policy: Policy): readonly string[] {
  return listSettingsPaths(policy).filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isFile() === true);
}

function listSettingsPaths(policy: Policy): readonly string[] {
  return policy.rules
    .filter((rule) => rule.name === "git-internals" && rule.guard !== undefined && basename(rule.path) === "config")
    .map(({ path }) => path)
    .filter((path) => lstatSync(dirname(path), { throwIfNoEntry: false })?.isDirectory() === true);
}
