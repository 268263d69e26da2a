// Carries what a command changed in its copy of a repository's settings over to the settings as they are now, key by key. Only harmless keys are
// carried over; a key that a program outside changed as well keeps that program's value.
import { type ConfigEntry, identify, nameKey, readConfig, setValues } from "./config-text.ts";
import { isHarmless } from "./harmless-settings.ts";

interface Merge {
  readonly text: string;
  /** Names of the keys that are not carried over because they are not harmless, or why nothing is. */
  readonly dropped: readonly string[];
}

const unreadCopy = "the settings were written in a form that git itself does not write";
const unreadSettings = "the settings are written in a form that is not read here";

/** Each costs a look at the whole text. */
const maxChanges = 100;

/** `before` is what `copy` was made from, `now` the settings as programs outside see them. */
export function mergeSettings(before: string, copy: string, now: string, { canRemove = true } = {}): Merge {
  const [old, changed, present] = [before, copy, now].map(readConfig);
  if (changed === undefined) return { text: now, dropped: [unreadCopy] };
  if (old === undefined || present === undefined) return { text: now, dropped: [unreadSettings] };
  if (before === now && findDangers(now, copy).length === 0) return { text: copy, dropped: [] };
  const changes = findChanges(old, changed);
  if (changes.length > maxChanges) return { text: now, dropped: [`more than ${maxChanges} settings were changed`] };
  const dropped = new Set<string>();
  let text = now;
  // Addresses first: whether a branch may follow a remote depends on them.
  for (const values of changes.toSorted((a, b) => Number(isAddress(b)) - Number(isAddress(a)))) {
    const [first] = [...values.after, ...values.before];
    if (!canRemove && values.after.length === 0) continue;
    if (first === undefined || findValues(present, first) !== serializeValues(values.before)) continue; // changed outside as well
    const next = setValues(text, first, values.after);
    // Of the whole text, as git will read it: what is written here follows from what a command wrote.
    if (next !== undefined && findDangers(now, next).length === 0) text = next;
    else dropped.add(nameKey(first));
  }
  return { text, dropped: [...dropped] };
}

/** Names of what differs and is not harmless, or one sentence; empty where everything that differs is harmless. */
export function findDangers(before: string, after: string): readonly string[] {
  const [old, changed] = [readConfig(before), readConfig(after)];
  if (old === undefined) return before === after ? [] : [unreadSettings];
  if (changed === undefined) return [unreadCopy];
  // Git takes a name that is no remote's, or that of a remote without an address, for a path: a push there runs the hooks of what lies there.
  const remotes = new Set([...changed.filter(isRemoteAddress).map(({ subsection }) => subsection), "."]);
  const known = new Set(old.map(({ section, subsection }) => JSON.stringify([section, subsection])));
  const isKnown = (section: string, subsection: string) => known.has(JSON.stringify([section, subsection]));
  const isFine = (entry: ConfigEntry) =>
    isHarmless(entry, isKnown) &&
    (entry.section !== "branch" || entry.key !== "remote" || remotes.has(entry.value ?? "")) &&
    (entry.section !== "remote" || remotes.has(entry.subsection));
  // Everything else must stand there as before, in the same order: with git the last one counts.
  const kept = old.filter((entry) => !isFine(entry));
  const found = changed.filter((entry) => !isFine(entry));
  const [keptLines, foundLines] = [kept.map(serialize), found.map(serialize)];
  if (JSON.stringify(keptLines) === JSON.stringify(foundLines)) return [];
  const names = [...excludeLines(found, new Set(keptLines)), ...excludeLines(kept, new Set(foundLines))].map(nameKey);
  return names.length === 0 ? ["the order of settings"] : [...new Set(names)];
}

interface Change {
  readonly before: readonly ConfigEntry[];
  readonly after: readonly ConfigEntry[];
}

/** One for each key whose values differ. */
function findChanges(before: readonly ConfigEntry[], after: readonly ConfigEntry[]): readonly Change[] {
  const [old, changed] = [Map.groupBy(before, identify), Map.groupBy(after, identify)];
  return [...new Set([...old.keys(), ...changed.keys()])]
    .map((id) => ({ before: old.get(id) ?? [], after: changed.get(id) ?? [] }))
    .filter((change) => serializeValues(change.before) !== serializeValues(change.after));
}

function excludeLines(entries: readonly ConfigEntry[], lines: ReadonlySet<string>): readonly ConfigEntry[] {
  return entries.filter((entry) => !lines.has(serialize(entry)));
}

function findValues(entries: readonly ConfigEntry[], key: ConfigEntry): string {
  return serializeValues(entries.filter((entry) => identify(entry) === identify(key)));
}

function serializeValues(entries: readonly ConfigEntry[]): string {
  return JSON.stringify(entries.map(({ value }) => value ?? null));
}

function isAddress({ after }: Change): boolean {
  return after.some(({ key }) => key === "url");
}

function isRemoteAddress({ section, key }: ConfigEntry): boolean {
  return section === "remote" && key === "url";
}

function serialize(entry: ConfigEntry): string {
  return JSON.stringify([identify(entry), entry.value ?? null]);
}
