// Counts names and comments that read badly: functions that end in a preposition, types that are bare participles, comments that begin with "What", and members of interfaces.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseSync } from "vite";
import { root, sourceFiles } from "./source-files.ts";

export interface NamedThing {
  readonly path: string;
  readonly line: number;
  readonly name: string;
}

interface Names {
  readonly functions: readonly NamedThing[];
  readonly types: readonly NamedThing[];
  readonly comments: readonly NamedThing[];
  /** Interfaces and object types, with the number of their members. */
  readonly shapes: readonly (NamedThing & { readonly members: number })[];
}

const preposition =
  /[a-z0-9](In|Of|For|From|At|On|By|To|With|About|Within|Without|Before|After|Into|Over|Under|Against|Between|Behind|Beside|Through|Until|Since|As|Per|Via|Onto|Upon)$/;
/** The particle of these verbs belongs to them: `logIn` does not end in a preposition. */
const phrasalVerb = /^(log|sign|check|hand|carry|take|put|turn|opt|scroll|build)(In|Out|On|Over)$/;
const lastWord = /[A-Z][a-z]*$/;
const participle =
  /^[A-Z][a-z]*(ed|ing)$|^(Seen|Kept|Made|Sent|Found|Held|Left|Shown|Known|Told|Given|Taken|Written|Chosen|Gone|Read|Meant|Drawn|Begun|Built|Put|Live)$/;
/** Words of this form that are nouns of their own. */
const noun =
  /^(Thing|String|Setting|Settings|Pairing|Encoding|Thinking|Sharing|Steering|Listing|Nesting|Ending|Padding|Heading|Warning|Feed|Embed|Need|Seed|Speed|Binding|Routing|Missing|Ping|Recording|Ring)$/;

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [key: string]: unknown;
}

export function endsInPreposition(name: string): boolean {
  return preposition.test(name) && !phrasalVerb.test(name);
}

export function isBareParticiple(name: string): boolean {
  const word = lastWord.exec(name)?.[0] ?? "";
  return participle.test(word) && !noun.test(word);
}

/** Reads the product's sources. A test or a file of test support may name things as it likes. */
export function readNames(): Names {
  const functions: NamedThing[] = [];
  const types: NamedThing[] = [];
  const comments: NamedThing[] = [];
  const shapes: (NamedThing & { members: number })[] = [];
  for (const { path } of sourceFiles()) {
    const text = readFileSync(join(root, path), "utf8");
    const { program, comments: found } = parseSync(path, text);
    const lineStarts = [0, ...[...text.matchAll(/\n/g)].map(({ index }) => index + 1)];
    const place = (start: number, name: string) => ({ path, line: countBefore(lineStarts, start), name });
    visit(program as unknown as Node, (node) => {
      const name = readFunctionName(node);
      if (name !== undefined) functions.push(place(node.start, name));
      const type = readTypeName(node);
      if (type !== undefined) types.push(place(node.start, type.name));
      if (type?.members !== undefined) shapes.push({ ...place(node.start, type.name), members: type.members });
    });
    for (const { start, value } of found) {
      if (/^[*\s/]*What\b(?!['’]s)/.test(value) && !isContinued(text, start)) comments.push(place(start, value.trim()));
    }
  }
  return { functions, types, comments, shapes };
}

/** A line comment that goes on from the line above does not begin there. */
function isContinued(text: string, start: number): boolean {
  const before = text.slice(0, start).split("\n").at(-2)?.trim() ?? "";
  return text.startsWith("//", start) && before.startsWith("//");
}

function countBefore(lineStarts: readonly number[], position: number): number {
  let [low, high] = [0, lineStarts.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lineStarts[middle] ?? 0) <= position) low = middle + 1;
    else high = middle;
  }
  return low;
}

function visit(node: Node, see: (node: Node) => void): void {
  see(node);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child === "object" && child !== null && typeof (child as Node).type === "string")
        visit(child as Node, see);
    }
  }
}

function readIdentifier(node: unknown): string | undefined {
  const { name, type } = (node ?? {}) as { name?: unknown; type?: unknown };
  return (type === "Identifier" || type === "PrivateIdentifier") && typeof name === "string" ? name : undefined;
}

function isFunction(node: unknown): boolean {
  return ["ArrowFunctionExpression", "FunctionExpression"].includes(String((node as Node | null)?.type));
}

function readFunctionName(node: Node): string | undefined {
  if (node.type === "FunctionDeclaration") return readIdentifier(node.id);
  if (node.type === "MethodDefinition" && node.kind === "method") return readIdentifier(node.key);
  if (node.type === "VariableDeclarator" && isFunction(node.init)) return readIdentifier(node.id);
  if (node.type === "PropertyDefinition" && isFunction(node.value)) return readIdentifier(node.key);
  return undefined;
}

function readTypeName(node: Node): { readonly name: string; readonly members?: number } | undefined {
  const name = readIdentifier(node.id);
  if (name === undefined) return undefined;
  if (node.type === "TSInterfaceDeclaration") return { name, members: countMembers((node.body as Node).body) };
  if (node.type === "ClassDeclaration") return { name };
  if (node.type !== "TSTypeAliasDeclaration") return undefined;
  const shape = node.typeAnnotation as Node;
  return shape.type === "TSTypeLiteral" ? { name, members: countMembers(shape.members) } : { name };
}

function countMembers(members: unknown): number {
  return Array.isArray(members) ? members.length : 0;
}
