// This module offers rules that allow more than the narrowest one: `npm run *` after `npm run build`. A person chooses among them.
import { commandPrefixes, usualPrefix } from "./command-prefixes.ts";
import { decide } from "./decide.ts";
import { absolutePath, isWithin } from "./path-names.ts";
import { literalPattern } from "./pattern.ts";
import { formatRule, parseRule, type RuleTerm, type TermType } from "./rule.ts";
import { isNetworkOfCommand, isPlainCommand, parseMcpToolName, type Subject } from "./subject.ts";

/** Below these names everybody can have one: a rule for all of them would be for strangers. */
const sharedDomains = new Set(
  "github.io githubusercontent.com gitlab.io pages.dev workers.dev r2.dev vercel.app netlify.app herokuapp.com web.app firebaseapp.com appspot.com googleusercontent.com azurewebsites.net blob.core.windows.net cloudfront.net amazonaws.com blogspot.com wordpress.com ngrok.io ngrok.app ngrok-free.app trycloudflare.com fly.dev onrender.com railway.app surge.sh glitch.me repl.co replit.app deno.dev readthedocs.io netlify.com hf.space".split(
    " ",
  ),
);
/** `co.uk`, `com.au`, `org.br` and their like are no domain of one owner. */
const sharedEnding = /^(?:ac|co|com|edu|gov|go|gob|gouv|ltd|mil|ne|net|nom|or|org|plc|sch)\.[a-z]{2}$/;

/** From narrow to wide; each allows this and more. Empty where no pattern says something that a person would recognize. */
export function widerRules(subject: Subject): readonly string[] {
  return termChoices(subject)
    .map((terms) => writeRule(subject, terms))
    .filter((match) => allows(match, subject));
}

/**
 * The rule that an agent's own "always" names, as in `Always allow bash: echo *`. Undefined where the label does not end in the usual pattern for
 * this command: an agent cannot widen an answer by a label.
 */
export function findLabelledRule(label: string, subject: Subject): string | undefined {
  const { command, escalation } = subject;
  if (command === undefined || escalation !== undefined || !isPlainCommand(subject)) return undefined;
  const prefix = usualPrefix(command);
  if (prefix === undefined) return undefined;
  const pattern = `${literalPattern(prefix)} *`;
  if (!label.endsWith(`: ${pattern}`) && !label.endsWith(` for ${pattern}`)) return undefined;
  const match = writeRule(subject, [...networkTerms(subject), { type: "command", pattern }]);
  return allows(match, subject) ? match : undefined;
}

function writeRule({ agentId }: Subject, terms: readonly RuleTerm[]): string {
  return formatRule([{ type: "agent", pattern: literalPattern(agentId) }, ...terms]);
}

function allows(match: string, subject: Subject): boolean {
  const terms = parseRule(match);
  return terms !== undefined && decide([{ decision: "allow", terms }], subject).decision === "allow";
}

/** A rule about the network of a command says so. */
function networkTerms(subject: Subject): readonly RuleTerm[] {
  return isNetworkOfCommand(subject) ? [{ type: "kind", pattern: subject.kind }] : [];
}

function termChoices(subject: Subject): readonly (readonly RuleTerm[])[] {
  const { kind, tool, command, hosts, targets } = subject;
  // More than this one command with more rights is for a person to write.
  if (subject.escalation !== undefined) return [];
  if (command !== undefined) {
    return isPlainCommand(subject) ? commandChoices(command).map((terms) => [...networkTerms(subject), ...terms]) : [];
  }
  const server = tool === undefined ? undefined : parseMcpToolName(tool)?.server;
  if (server !== undefined) return [[literalThen("tool", `mcp__${server}__`, "*")]];
  if (hosts.length > 0) return hostChoices(kind, hosts);
  return subject.isKindGuessed ? [] : pathChoices(kind, targets, subject.cwd);
}

function commandChoices(command: string): readonly (readonly RuleTerm[])[] {
  const { words, starts } = commandPrefixes(command) ?? { words: [], starts: [] };
  return starts
    .filter((start) => start.length < words.length || start.length === 1)
    .map((start) => [literalThen("command", start.join(" "), " *")]);
}

function hostChoices(kind: string, hosts: readonly string[]): readonly (readonly RuleTerm[])[] {
  const [host, ...others] = hosts;
  const labels = host?.split(".") ?? [];
  // Never for a whole top-level domain, nor for an address in numbers.
  if (others.length > 0 || labels.length < 3 || /^[\d.:[\]]+$/.test(host ?? "")) return [];
  const domain = labels.slice(1).join(".");
  if (isShared(domain.replace(/:\d+$/, ""))) return [];
  return [
    [
      { type: "kind", pattern: kind },
      { type: "host", pattern: `*.${literalPattern(domain)}` },
    ],
  ];
}

function isShared(domain: string): boolean {
  return (
    sharedEnding.test(domain) || [...sharedDomains].some((shared) => domain === shared || shared.endsWith(`.${domain}`))
  );
}

/** The file's folder, then everything in the thread's folder. */
function pathChoices(kind: string, targets: readonly string[], cwd: string): readonly (readonly RuleTerm[])[] {
  const folder = absolutePath(cwd, "/");
  const paths = targets.map((path) => absolutePath(path, folder));
  if (paths.length === 0 || kind === "other" || !paths.every((path) => isWithin(path, folder) && path !== folder))
    return [];
  const inside = paths.map((path) => path.slice(folder.length + 1));
  const folders = new Set(inside.map((path) => path.slice(0, path.lastIndexOf("/") + 1)));
  const [own = ""] = folders;
  const patterns = [...(folders.size === 1 && own !== "" ? [`${literalPattern(own)}**`] : []), "**"];
  return patterns.map((pattern) => [
    { type: "kind", pattern: kind },
    { type: "path", pattern },
  ]);
}

function literalThen(type: TermType, start: string, rest: string): RuleTerm {
  return { type, pattern: `${literalPattern(start)}${rest}` };
}
