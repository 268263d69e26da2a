// Decides whether a change of a repository's config is harmless: it can make no program run, now or later. That is a list of keys and forms of
// values, not a list of dangers: git has hundreds of settings, and each version more.
import { type ConfigEntry, nameOf, readConfig } from "./config-text.ts";

/** No quotes, backslashes or comments: what is compared is what git reads. */
const word = /^[A-Za-z0-9._][A-Za-z0-9._/+@-]*$/;
const remoteName = /^(?:\.|[A-Za-z0-9_][A-Za-z0-9._+@-]*)$/;
const truth = /^(?:true|false)$/;
const ref = /^refs\/[A-Za-z0-9._/+@-]+$/;
const refspec = /^\+?refs\/[A-Za-z0-9._/+@*-]+:refs\/remotes\/[A-Za-z0-9._/+@*-]+$/;
/** An address of another machine. No path of this one, no transport that names a program (`ext::`), no name that an option could be. */
const address =
  /^(?:(?:https?|ssh|git):\/\/(?:[A-Za-z0-9_][A-Za-z0-9._-]*@)?[A-Za-z0-9][A-Za-z0-9.-]*(?::\d+)?\/|[A-Za-z0-9_][A-Za-z0-9._-]*@[A-Za-z0-9][A-Za-z0-9.-]*:(?!:))[A-Za-z0-9_~.][A-Za-z0-9_~./+-]*$/;

interface Harmless {
  readonly section: string;
  readonly key: string;
  readonly value: RegExp;
}

/** What may be added, changed and removed. */
const ofBranches: readonly Harmless[] = [
  { section: "branch", key: "remote", value: remoteName },
  { section: "branch", key: "merge", value: ref },
  { section: "branch", key: "rebase", value: /^(?:true|false|merges)$/ },
];
const plain: readonly Harmless[] = [
  { section: "pull", key: "rebase", value: /^(?:true|false|merges)$/ },
  { section: "pull", key: "ff", value: /^(?:true|false|only)$/ },
  { section: "push", key: "default", value: /^(?:nothing|current|upstream|simple|matching)$/ },
  { section: "push", key: "autosetupremote", value: truth },
  { section: "fetch", key: "prune", value: truth },
];
/** Only of a remote that is new: where an old one leads, and what is pushed there, is for the person to change. */
const ofNewRemotes: readonly Harmless[] = [
  { section: "remote", key: "url", value: address },
  { section: "remote", key: "fetch", value: refspec },
  { section: "remote", key: "tagopt", value: /^--(?:no-)?tags$/ },
];

const simple = /^[A-Za-z0-9][A-Za-z0-9 .,_+-]*$/;
const anything = /^/;

function ofPersons(section: string, keys: string, value = simple): readonly Harmless[] {
  return keys.split(" ").map((key) => ({ section, key, value }));
}

/**
 * What a person changes from time to time, and what makes no program run and no push go elsewhere. It is for a text of which it is not certain who wrote
 * it: nearly always a person did. A command may not change it, because commits would get another name.
 */
const byPersons: readonly Harmless[] = [
  ...ofPersons("user", "name email signingkey", anything),
  ...ofPersons("commit", "gpgsign verbose cleanup status"),
  ...ofPersons("tag", "gpgsign sort"),
  ...ofPersons(
    "core",
    "autocrlf eol safecrlf filemode ignorecase symlinks quotepath abbrev whitespace commentchar compression",
  ),
  ...ofPersons(
    "core",
    "preloadindex untrackedcache longpaths precomposeunicode logallrefupdates sparsecheckout sparsecheckoutcone",
  ),
  ...ofPersons("init", "defaultbranch"),
  ...ofPersons("branch", "sort autosetupmerge autosetuprebase"),
  ...ofPersons("pull", "octopus twohead"),
  ...ofPersons("push", "followtags gpgsign"),
  ...ofPersons("fetch", "prunetags parallel all writecommitgraph"),
  ...ofPersons("merge", "ff conflictstyle log renames stat"),
  ...ofPersons("rebase", "autosquash autostash updaterefs stat missingcommitscheck"),
  ...ofPersons("rerere", "enabled autoupdate"),
  ...ofPersons("diff", "algorithm renames colormoved mnemonicprefix noprefix context"),
  ...ofPersons("log", "date abbrevcommit decorate follow showsignature"),
  ...ofPersons("status", "short branch showuntrackedfiles submodulesummary"),
  ...ofPersons("color", "ui branch diff status"),
  ...ofPersons("column", "ui branch status tag"),
  ...ofPersons("gc", "auto autopacklimit pruneexpire reflogexpire"),
  ...ofPersons("index", "version threads"),
  ...ofPersons("feature", "manyfiles experimental"),
];

/**
 * Why the change is not harmless, one line for each part of it; empty where it is. `isDoubtful`: a person may have made it, and nearly always did.
 */
export function dangersOf(before: string, after: string, { isDoubtful = false } = {}): readonly string[] {
  const [old, changed] = [readConfig(before), readConfig(after)];
  if (old === undefined) return ["the settings are written in a form that is not read here"];
  if (changed === undefined) return ["the settings were written in a form that git itself does not write"];
  const remotes = remotesIn(old);
  // What is no remote's name, or that of one without an address, git takes for a path: a push there runs the hooks of what lies there.
  const allRemotes = new Set([...remotesIn(changed.filter(({ key }) => key === "url")), "."]);
  const isHarmless = (entry: ConfigEntry) =>
    isOnList(entry, remotes, isDoubtful) &&
    (nameOf(entry) !== `branch.${entry.subsection}.remote` || allRemotes.has(entry.value ?? ""));
  // Everything else must stand there as before, in the same order: with git the last one counts.
  const [kept, found] = [old, changed].map((entries) => entries.filter((entry) => !isHarmless(entry)).map(lineOf));
  if (JSON.stringify(kept) === JSON.stringify(found)) return [];
  const names = [
    ...changed.filter((entry) => !isHarmless(entry) && kept?.includes(lineOf(entry)) !== true),
    ...old.filter((entry) => !isHarmless(entry) && found?.includes(lineOf(entry)) !== true),
  ].map(nameOf);
  return names.length === 0 ? ["the order of settings"] : [...new Set(names)];
}

function remotesIn(entries: readonly ConfigEntry[]): ReadonlySet<string> {
  return new Set(entries.filter(({ section }) => section === "remote").map(({ subsection }) => subsection));
}

function isOnList(
  { section, subsection, key, value = "" }: ConfigEntry,
  remotes: ReadonlySet<string>,
  isDoubtful: boolean,
): boolean {
  const ofAll = isDoubtful ? [...plain, ...byPersons] : plain;
  const list = subsection === "" ? ofAll : [...ofBranches, ...(remotes.has(subsection) ? [] : ofNewRemotes)];
  const isNamed = subsection === "" || isName(subsection);
  return isNamed && list.some((each) => each.section === section && each.key === key && each.value.test(value));
}

function isName(subsection: string): boolean {
  return word.test(subsection) && !subsection.includes("..");
}

function lineOf(entry: ConfigEntry): string {
  return JSON.stringify([nameOf(entry), entry.subsection, entry.value ?? null]);
}
