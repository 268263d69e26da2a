// Lists the settings of a repository that a command may change: they can make no program run and lead no push elsewhere, now or later. It is a list
// of keys and forms of values, not a list of dangers: git has hundreds of settings, and each version more.
import type { ConfigEntry } from "./config-text.ts";

/** Read in one way only: without quotes, backslashes and comments, or whole in quotes. Not like an option. */
const text = /^(?:[ !$-,.-:<-[\]-~\x80-\xff][ !$-:<-[\]-~\x80-\xff]*|"[ !#-,.-[\]-~\x80-\xff][ !#-[\]-~\x80-\xff]*")$/;
const word = /^[A-Za-z0-9][A-Za-z0-9 .,_+-]*$/;
const truth = /^(?:true|false)$/;
const remoteName = /^(?:\.|[A-Za-z0-9_][A-Za-z0-9._+@-]*)$/;
const ref = /^refs\/[A-Za-z0-9._/+@=,%\x80-\xff-]+$/;
const refspec = /^\+?refs\/[A-Za-z0-9._/+@*-]+:refs\/remotes\/[A-Za-z0-9._/+@*-]+$/;
/** Of another machine. No path of this one, no transport that names a program (`ext::`), no name that an option could be. */
const address =
  /^(?:(?:https?|ssh|git):\/\/(?:[A-Za-z0-9_][A-Za-z0-9._-]*@)?[A-Za-z0-9][A-Za-z0-9.-]*(?::\d+)?\/|[A-Za-z0-9_][A-Za-z0-9._-]*@[A-Za-z0-9][A-Za-z0-9.-]*:(?!:))[A-Za-z0-9_~.][A-Za-z0-9_~./+-]*$/;
/** A submodule may lie on this machine too: `.gitmodules`, which every command can write, says the same. */
const addressOrPath = new RegExp(`${address.source}|^/[A-Za-z0-9_][A-Za-z0-9_./+@-]*$`);

type Forms = Readonly<Record<string, RegExp>>;

function listForms(keys: string, form: RegExp): Forms {
  return Object.fromEntries(keys.split(" ").map((key) => [key, form]));
}

/** By section, without a part in quotes. */
const plain: Readonly<Record<string, Forms>> = {
  branch: listForms("sort autosetupmerge autosetuprebase", word),
  color: listForms("ui branch diff status", word),
  column: listForms("ui branch status tag", word),
  commit: listForms("verbose cleanup status", word),
  core: listForms("autocrlf eol safecrlf filemode ignorecase symlinks quotepath abbrev whitespace longpaths", word),
  diff: listForms("algorithm renames colormoved mnemonicprefix noprefix context", word),
  fetch: listForms("prune prunetags parallel all writecommitgraph", word),
  init: listForms("defaultbranch", word),
  log: listForms("date abbrevcommit decorate follow", word),
  merge: listForms("ff conflictstyle log renames stat", word),
  pull: { rebase: /^(?:true|false|merges)$/, ff: /^(?:true|false|only)$/ },
  push: {
    default: /^(?:nothing|current|upstream|simple|matching)$/,
    ...listForms("autosetupremote followtags", truth),
  },
  rebase: listForms("autosquash autostash updaterefs stat missingcommitscheck", word),
  rerere: listForms("enabled autoupdate", truth),
  status: listForms("short branch showuntrackedfiles submodulesummary", word),
  tag: listForms("sort", word),
  user: listForms("name email", text),
};

const ofBranches: Forms = { remote: remoteName, merge: ref, rebase: /^(?:true|false|merges)$/ };
/** Notes that editors keep at branches. Git itself does not read them. */
const ofEditors = /^(?:vscode|github|gk)-/;
/** Only while it is new: where an old one leads, and what is pushed there, is for the person to change. */
const ofNew: Readonly<Record<string, Forms>> = {
  remote: { url: address, fetch: refspec, tagopt: /^--(?:no-)?tags$/ },
  submodule: { url: addressOrPath, active: truth },
};

/** Whether a command may add or remove it. `known` has those remotes and submodules that it may not change. */
export function isHarmless(
  { section, subsection, key, value }: ConfigEntry,
  isKnown: (section: string, subsection: string) => boolean,
): boolean {
  const form = findForm(section, subsection, key, isKnown);
  return form !== undefined && value !== undefined && form.test(value);
}

function findForm(
  section: string,
  subsection: string,
  key: string,
  isKnown: (section: string, subsection: string) => boolean,
): RegExp | undefined {
  if (subsection === "") return lookUp(lookUp(plain, section), key);
  if (section === "branch") return ofEditors.test(key) ? text : lookUp(ofBranches, key);
  const isName = /^[A-Za-z0-9._][A-Za-z0-9._/+@-]*$/.test(subsection) && !subsection.includes("..");
  return isName && !isKnown(section, subsection) ? lookUp(lookUp(ofNew, section), key) : undefined;
}

/** Not what every object inherits, such as `constructor`. */
function lookUp<Value>(table: Readonly<Record<string, Value>> | undefined, name: string): Value | undefined {
  return table !== undefined && Object.hasOwn(table, name) ? table[name] : undefined;
}
