// This module decides what rules say about something an agent wants to do. Deny beats ask beats allow. To deny or ask, one part that matches is
// enough; to allow, every part must match. Where no rule speaks, a person is asked. What asks for more than its sandbox gives is allowed only by a
// rule that says so.
import { type CommandReadings, type PlainCommand, readCommand } from "./command-readings.ts";
import { escalationText } from "./escalation.ts";
import { absolutePath, expandHome, isWithin } from "./path-names.ts";
import { wordsAsPaths } from "./paths-in-command.ts";
import {
  hasWildcard,
  literalPattern,
  matchesCommand,
  matchesPath,
  matchesText,
  pathMatcher,
  unescapePattern,
} from "./pattern.ts";
import type { Rule, RuleTerm } from "./rule.ts";
import { maxLineLength } from "./shell-line.ts";
import { unwrapCommand } from "./shell-wrapper.ts";
import { isNetworkOfCommand, isPlainCommand, type Subject, unknownPath } from "./subject.ts";

export interface Verdict<R extends Rule = Rule> {
  readonly decision: "allow" | "ask" | "deny";
  /** The rule that decided; undefined where none speaks. */
  readonly rule: R | undefined;
}

/** A subject with its command line read once for all rules. */
interface Case {
  readonly subject: Subject;
  readonly readings: CommandReadings | undefined;
  /** Its paths, and the words of its command as paths, as disks read them that do not tell letter case apart. */
  readonly foldedPaths: readonly string[];
}

export function decide<R extends Rule>(rules: readonly R[], described: Subject): Verdict<R> {
  const subject = boundPaths(rules, described);
  const { command } = subject;
  const named = command === undefined ? [] : wordsAsPaths(command, subject);
  const asked: Case = {
    subject,
    readings: command === undefined ? undefined : readCommand(command),
    foldedPaths: [...subject.paths.map((path) => absolutePath(path, subject.cwd)), ...named].map(fold),
  };
  const inScope = rules.filter((rule) => isInScope(rule, subject));
  const rule =
    inScope.find((each) => each.decision === "deny" && touches(each, asked)) ??
    inScope.find((each) => each.decision === "ask" && touches(each, asked)) ??
    allowing(inScope, asked);
  return { decision: rule?.decision ?? "ask", rule };
}

/** Each path is compared with each rule about paths: the more rules there are, the fewer paths are read. */
const maxComparisons = 10_000;

function boundPaths(rules: readonly Rule[], subject: Subject): Subject {
  const { paths } = subject;
  const maxPaths = Math.floor(maxComparisons / Math.max(1, rules.filter((rule) => names(rule, "path")).length));
  return paths.length <= maxPaths ? subject : { ...subject, paths: [...paths.slice(0, maxPaths), unknownPath] };
}

export function isInScope({ scope }: Rule, { threadId, cwd }: Pick<Subject, "threadId" | "cwd">): boolean {
  if (scope === null || scope === undefined) return true;
  return scope.type === "thread" ? scope.id === threadId : isWithin(cwd, scope.id);
}

/** Whether a rule that denies or asks speaks about any part of it. */
function touches(rule: Rule, { subject, readings, foldedPaths }: Case): boolean {
  return rule.terms.every((term) => {
    switch (term.type) {
      case "command":
        return readings !== undefined && mentions(term.pattern, subject.command ?? "", readings);
      case "path":
        return foldedPaths.some(pathMentioner(term.pattern, subject));
      case "host":
        return subject.hosts.some((host) => isMentionedHost(term.pattern, host));
      default:
        return simpleTermHolds(term, subject);
    }
  });
}

/** A rule about a host speaks about all of its ports, unless it names one. */
function isMentionedHost(written: string, host: string): boolean {
  const pattern = fold(written);
  return matchesText(pattern, host) || matchesText(pattern, host.replace(/:\d+$/, ""));
}

/** In any letter case: some disks do not tell `RM` from `rm`. */
function mentions(written: string, command: string, { possible }: CommandReadings): boolean {
  const pattern = fold(written);
  const commands = possible.map((words) => words.map(fold));
  const texts = [fold(command.slice(0, maxLineLength).trim()), ...commands.map((words) => words.join(" "))];
  return (
    commands.some((words) => matchesCommand(pattern, words)) ||
    texts.some((text) => matchesText(pattern, text)) ||
    (pattern.endsWith(" *") && texts.includes(pattern.slice(0, -2)))
  );
}

/** In any letter case, and with a leading `**` anywhere: to allow, that is in the thread's folder. Gets folded paths. */
export function pathMentioner(
  written: string,
  { cwd, home }: Pick<Subject, "cwd" | "home">,
): (foldedPath: string) => boolean {
  const pattern = fold(written);
  const where = home === undefined ? { cwd: fold(cwd) } : { cwd: fold(cwd), home: fold(home) };
  const matchesHere = pathMatcher(absolutePattern(pattern, where));
  const matchesAnywhere = pattern.startsWith("**") ? pathMatcher(pattern) : () => false;
  return (path) => matchesHere(path) || matchesAnywhere(path);
}

/** How a text reads for a disk that does not tell letter case apart: `ſ` is `s` there, and what cannot be seen is not there. */
export function fold(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text.toLowerCase();
  const visible = text.replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "");
  return visible.normalize("NFC").toUpperCase().toLowerCase().normalize("NFC");
}

function allowing<R extends Rule>(rules: readonly R[], asked: Case): R | undefined {
  const { subject, readings } = asked;
  const allows = rules.filter(
    (rule) => rule.decision === "allow" && (subject.escalation === undefined || names(rule, "escalate")),
  );
  // A path that was not read may be one that a rule forbids or wants asked.
  const isUnread = subject.paths.some((path) => path.endsWith(unknownPath));
  if (isUnread && rules.some((rule) => rule.decision !== "allow" && names(rule, "path"))) return undefined;
  if (readings === undefined) return allows.find((rule) => !names(rule, "command") && covers(rule, subject));
  // A line that may hold what a rule forbids or wants asked is not covered by a rule that does not name it.
  const isWatched = rules.some((rule) => rule.decision !== "allow" && names(rule, "command"));
  const isHidden = readings.hidesMore || !isPlainCommand(subject);
  const general = isWatched && isHidden ? [] : allows.filter((rule) => coversAnyCommand(rule, subject));
  if (!isPlainCommand(subject)) return general[0];
  const byCommand = allows.filter(
    (rule) => names(rule, "command") && speaksOfNetwork(rule, subject) && covers(rule, subject),
  );
  const exact = byCommand.find((rule) => isExactly(rule, subject.command ?? ""));
  if (exact !== undefined || readings.plain === undefined) return exact ?? general[0];
  return firstOfAll(readings.plain, (each) => commandAllowed(each, byCommand) ?? general[0]);
}

/** The rule for the first item, when there is one for each. */
function firstOfAll<Item, R>(items: readonly Item[], ruleFor: (item: Item) => R | undefined): R | undefined {
  const found = items.map(ruleFor);
  return found.includes(undefined) ? undefined : found[0];
}

function commandAllowed<R extends Rule>(command: PlainCommand, rules: readonly R[]): R | undefined {
  const own = rules.find((rule) =>
    rule.terms.every(
      (term) => term.type !== "command" || (command.isCertain && matchesCommand(term.pattern, command.words)),
    ),
  );
  if (own !== undefined || command.inner === undefined) return own;
  return firstOfAll(command.inner, (inner) => commandAllowed(inner, rules));
}

/** A remembered answer names the whole line, whether or not the agent wraps it in a shell. */
function isExactly(rule: Rule, command: string): boolean {
  const lines = [command.trim(), unwrapCommand(command).line.trim()];
  return rule.terms.every(
    (term) => term.type !== "command" || (!hasWildcard(term.pattern) && lines.includes(unescapePattern(term.pattern))),
  );
}

/** Whether every term but those about commands holds for all of it. */
function covers(rule: Rule, subject: Subject): boolean {
  const { paths, hosts } = subject;
  return rule.terms.every((term) => {
    switch (term.type) {
      case "command":
        return true;
      case "path":
        return paths.length > 0 && paths.every((path) => pathMatches(term.pattern, path, subject));
      case "host":
        return hosts.length > 0 && hosts.every((host) => matchesText(term.pattern, host));
      case "kind":
        return !subject.isKindGuessed && simpleTermHolds(term, subject);
      default:
        return simpleTermHolds(term, subject);
    }
  });
}

/** A rule about commands opens the network only where it says so, with a kind or a tool. */
function speaksOfNetwork(rule: Rule, subject: Subject): boolean {
  return !isNetworkOfCommand(subject) || names(rule, "kind") || names(rule, "tool");
}

/** A rule about files or addresses lets no command run, and neither does a rule about tools that do not run commands. */
function coversAnyCommand(rule: Rule, subject: Subject): boolean {
  if (names(rule, "command") || names(rule, "path") || names(rule, "host")) return false;
  const isAboutKind = names(rule, "kind") || names(rule, "tool") || names(rule, "title");
  return (!isAboutKind || subject.kind === "execute" || isNetworkOfCommand(subject)) && covers(rule, subject);
}

function simpleTermHolds(term: RuleTerm, subject: Subject): boolean {
  switch (term.type) {
    case "all":
      return true;
    case "agent":
      return matchesText(term.pattern, subject.agentId);
    case "kind":
      return matchesText(term.pattern, subject.kind);
    case "tool":
      return subject.tool !== undefined && matchesText(term.pattern, subject.tool);
    case "escalate":
      return subject.escalation !== undefined && matchesText(term.pattern, escalationText(subject.escalation));
    case "title":
      return subject.title !== undefined && matchesText(term.pattern, subject.title.slice(0, maxLineLength));
    default:
      return false;
  }
}

function pathMatches(written: string, path: string, where: Pick<Subject, "cwd" | "home">): boolean {
  return matchesPath(absolutePattern(written, where), absolutePath(path, where.cwd));
}

export function absolutePattern(written: string, { cwd, home }: Pick<Subject, "cwd" | "home">): string {
  const pattern = home === undefined ? written : expandHome(written, literalPattern(home));
  return absolutePath(pattern, literalPattern(cwd));
}

function names(rule: Rule, type: RuleTerm["type"]): boolean {
  return rule.terms.some((term) => term.type === type);
}
