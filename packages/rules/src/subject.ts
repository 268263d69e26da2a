// This module turns a tool call, as an agent describes it, into what rules speak about: kind, tool, command, paths, hosts.
import { isHarmlessVariable, type Variable } from "./environment.ts";
import { type Escalation, findEscalation } from "./escalation.ts";
import { readFields } from "./fields.ts";
import { absolutePath, expandHome, isWithin, pathName } from "./path-names.ts";

/** Who acts, and where. */
export interface Place {
  readonly agentId: string;
  readonly threadId: string;
  /** The thread's folder. */
  readonly cwd: string;
  /** The home folder, for paths that begin with `~/`. */
  readonly home?: string;
}

/** An action that an agent wants to take. */
export interface Subject extends Place {
  readonly kind: string;
  /** The kind comes from the name of an MCP tool, and nothing else says that it is right. */
  readonly isKindGuessed: boolean;
  readonly tool: string | undefined;
  readonly title: string | undefined;
  readonly command: string | undefined;
  /** False when the command was only in the title, which may be shortened or a description. */
  readonly isCommandExact: boolean;
  /** The folder in which the command runs; the thread's own where none is named. */
  readonly commandFolder: string;
  /** Variables that the command gets besides its usual environment. */
  readonly variables: readonly Variable[];
  /** Rights beyond the sandbox; undefined if the command asks for none. */
  readonly escalation: Escalation | undefined;
  /** Every path that it names. */
  readonly paths: readonly string[];
  /** The paths that a person sees in the question: see `listTargets`. */
  readonly targets: readonly string[];
  /** The targets by the names that the call gives them: a link can be one. */
  readonly targetNames: readonly string[];
  /** The hosts of the addresses that it names. */
  readonly hosts: readonly string[];
}

/** A tool call of ACP, as far as rules are about it. Nothing of it is certain. */
export interface DescribedCall {
  readonly name?: unknown;
  readonly kind?: unknown;
  readonly title?: unknown;
  readonly rawInput?: unknown;
  readonly locations?: unknown;
  readonly content?: unknown;
  readonly _meta?: unknown;
}

export function describeSubject(call: DescribedCall, place: Place): Subject {
  const kind = typeof call.kind === "string" ? call.kind : "other";
  const tool = readToolName(call);
  const title = typeof call.title === "string" && call.title !== "" ? call.title : undefined;
  const input = readFields(call.rawInput);
  const found = searchInput(call.rawInput);
  const line = readCallCommand(call);
  const targets = listTargets(call);
  return {
    ...place,
    kind,
    isKindGuessed: tool !== undefined && parseMcpToolName(tool) !== undefined,
    tool,
    title,
    ...line,
    commandFolder: absolutePath(
      firstText(input.cwd, input.workdir, input.working_directory, input.workingDirectory, input.directory) ?? ".",
      place.cwd,
    ),
    variables: readVariables(input.env),
    escalation: line.command === undefined ? undefined : absoluteEscalation(findEscalation(input), place),
    paths: readablePaths([
      ...new Set(
        [...listPaths(call.content), ...listPaths(call.locations), ...found.paths].flatMap((path) =>
          pathReadings(path, place.home),
        ),
      ),
    ]),
    targets,
    targetNames: targets,
    hosts: [...new Set(found.hosts)],
  };
}

function absoluteEscalation(asked: Escalation | undefined, { cwd, home }: Place): Escalation | undefined {
  if (asked?.folder === undefined) return asked;
  return { ...asked, folder: absolutePath(home === undefined ? asked.folder : expandHome(asked.folder, home), cwd) };
}

/** The command line that a call is about, and whether it is certain to be all of it. */
export function readCallCommand(call: DescribedCall): Pick<Subject, "command" | "isCommandExact"> {
  const { kind } = call;
  const given = readCommand(call.rawInput);
  // Editors name what they do `command`: that is no command line.
  const command = kind !== "execute" && given !== undefined && editorActions.has(given) ? undefined : given;
  // A tool obeys one of them, and which one is not known.
  const others = command === undefined ? [] : otherLines(readFields(call.rawInput)).filter((line) => line !== command);
  if (others.length > 0) return { command: [command, ...others].join("\n"), isCommandExact: false };
  if (command !== undefined) return { command, isCommandExact: true };
  const titled = kind === "execute" && typeof call.title === "string" && call.title !== "" ? call.title : undefined;
  const isExact = titled !== undefined && /^`[^`]+`$/.test(titled);
  return { command: titled?.replace(/^`(.*)`$/s, "$1"), isCommandExact: isExact };
}

/** The paths that a person sees in a question about the call: of its diffs, else its locations, else the file that an edit's input names. */
export function listTargets({ content, locations, kind, rawInput }: DescribedCall): readonly string[] {
  const diffs = listPaths(selectDiffs(content));
  const shown = diffs.length > 0 ? diffs : listPaths(locations);
  const named = kind === "edit" ? readInputFile(rawInput) : undefined;
  return readablePaths([...new Set(shown.length > 0 || named === undefined ? shown : [named])]);
}

const fileNames = ["path", "file_path", "filePath", "filepath", "file", "filename", "target_file", "absolute_path"];

/** The file that a tool's input names, by the words that agents use for it. Undefined where it names two: which one the tool obeys is not known. */
export function readInputFile(rawInput: unknown): string | undefined {
  const input = readFields(rawInput);
  const found = fileNames.map((name) => input[name]).filter((value) => typeof value === "string" && value !== "");
  return found.length === 1 ? firstText(...found) : undefined;
}

/** Following links costs a look at the disk each. */
const maxFollowed = 200;

/**
 * The subject with every path as it is named and as it leads, so that a link is no way around a rule. `realPath` follows links; undefined
 * where it cannot tell, which no rule about paths allows.
 */
export function followLinks(subject: Subject, realPath: (path: string) => string | undefined): Subject {
  const { paths, targets, cwd, commandFolder, escalation } = subject;
  // Once for each path: a link that is changed meanwhile must not be one file for the rules and another for what an answer opens.
  const followed = new Map<string, string | undefined>();
  const follow = (path: string): string | undefined => {
    if (!followed.has(path)) followed.set(path, realPath(path));
    return followed.get(path);
  };
  const named = paths.slice(0, maxFollowed).map((path) => absolutePath(path, cwd));
  const rest = paths.length > maxFollowed ? [...paths.slice(maxFollowed), unknownPath] : [];
  const shown = targets.slice(0, maxFollowed).map((path) => absolutePath(path, cwd));
  return {
    ...subject,
    paths: [...new Set([...named.flatMap((path) => [path, follow(path) ?? unknownPath]), ...rest])],
    targets: [...new Set(shown.map((path) => follow(path) ?? path))],
    targetNames: shown,
    commandFolder: follow(commandFolder) ?? unknownPath,
    ...(escalation?.folder !== undefined && {
      escalation: { ...escalation, folder: follow(escalation.folder) ?? unknownPath },
    }),
  };
}

/** The name under which our agent asks for the network of a command, beside the command itself. */
export const networkTool = "bash_network";

/** Whether it is about the network of a command. A rule that lets a command run says nothing about its network. */
export function isNetworkOfCommand({ tool, kind, command }: Subject): boolean {
  return tool === networkTool && kind === "fetch" && command !== undefined;
}

/** Whether rules about commands may allow it: nothing around the command makes it run something else. */
export function isPlainCommand(subject: Subject): boolean {
  const { isCommandExact, variables, commandFolder, cwd } = subject;
  return (
    isCommandExact &&
    variables.every(({ name, value }) => isHarmlessVariable(name, value)) &&
    isWithin(commandFolder, absolutePath(cwd, "/"))
  );
}

/** The command line inside a tool call's input, as agents spell it. Separate words are quoted as a shell needs it. */
export function readCommand(input: unknown): string | undefined {
  const { command, cmd, args } = readFields(input);
  const given = command ?? cmd;
  if (typeof given === "string") {
    const words = isTexts(args) ? args : [];
    return words.length === 0 ? given : quoteArguments([given, ...words]);
  }
  return isTexts(given) && given.length > 0 ? quoteArguments(given) : undefined;
}

/** Lists other fields of the input that a tool might read a command line from. */
function otherLines({ command, cmd, script, commands }: Readonly<Record<string, unknown>>): readonly string[] {
  const given = [command === undefined || command === null ? undefined : cmd, script, commands];
  return given.flatMap((value) => (typeof value === "string" ? [value] : isTexts(value) ? value : []));
}

/** The words as one line that a shell reads as the same words. */
export function quoteArguments(words: readonly string[]): string {
  return words
    .map((word, index) => {
      // Before the program's name a shell takes `NAME=value` for a variable.
      const isPlain = index === 0 ? /^[\w@%+:,./-]+$/.test(word) : /^[\w@%+=:,./-]+$/.test(word);
      return isPlain ? word : `'${word.replaceAll("'", "'\\''")}'`;
    })
    .join(" ");
}

/** The tool's own name. Agents put it into `_meta`, each in its own place. */
export function readToolName({ name, _meta }: DescribedCall): string | undefined {
  return typeof name === "string" ? name : nameInMeta(_meta, 0);
}

interface McpToolName {
  readonly server: string;
  readonly tool: string;
}

/** `mcp__<server>__<tool>`, the way agents name the tools of MCP servers. */
export function parseMcpToolName(name: string): McpToolName | undefined {
  const [, server, tool] = /^mcp__(.+?)__(.+)$/s.exec(name) ?? [];
  return server === undefined || tool === undefined ? undefined : { server, tool };
}

/** The host and port of an address, such as `example.org` or `localhost:8080`. A dot at the end of a name does not make it another host. */
export function parseHost(address: string): string | undefined {
  // Programs that open an address ignore line ends and tabs in it, and blanks around it.
  const written = address.replaceAll(/[\t\n\r]/g, "").trim();
  if (!/^(?:https?|wss?|ftp):/i.test(written) || !URL.canParse(written)) return undefined;
  const { hostname, port } = new URL(written);
  return hostname.replace(/\.$/, "") + (port === "" ? "" : `:${port}`);
}

/** Arguments that hold an address also where it has no scheme: tools add one. */
const addressNames: ReadonlySet<string> = new Set(["url", "urls", "href", "endpoint"]);

function findHost(name: string, value: string): string | undefined {
  return parseHost(value) ?? (addressNames.has(name.toLowerCase()) ? parseHost(`https://${value.trim()}`) : undefined);
}

/**
 * The path as it is written, and what tools take it for where that is something else: `~` is the home folder, and `file:` the address of a
 * file. Which of the two a tool does is not known.
 */
function pathReadings(path: string, home: string | undefined): readonly string[] {
  const expanded = pathOfFile(path) ?? (home === undefined ? path : expandHome(path, home));
  return expanded === path ? [path] : [path, expanded];
}

/** The path that a `file:` address means; undefined for anything else. */
function pathOfFile(address: string): string | undefined {
  if (!/^\s*file:/i.test(address) || !URL.canParse(address)) return undefined;
  try {
    return decodeURIComponent(new URL(address).pathname);
  } catch {
    return unknownPath;
  }
}

/** Browsers and Node have it. This package has neither's types. */
declare class URL {
  static canParse(address: string): boolean;
  constructor(address: string);
  readonly hostname: string;
  readonly port: string;
  readonly pathname: string;
}

const editorActions = new Set(
  "view create write read str_replace insert undo_edit delete rename replace append".split(" "),
);

const maxDepth = 10;
const maxValues = 20_000;

interface FoundArguments {
  readonly paths: readonly string[];
  readonly hosts: readonly string[];
}

/** Every path and address in the input, at any depth. */
function searchInput(input: unknown): FoundArguments {
  const paths: string[] = [];
  const hosts: string[] = [];
  let left = maxValues;
  const visit = (name: string, value: unknown, depth: number) => {
    // A value that was not examined could name any path, so it counts as a path that no rule allows.
    if (left-- <= 0 || depth > maxDepth) {
      if (paths.at(-1) !== unknownPath) paths.push(unknownPath);
    } else if (typeof value === "string") {
      const host = findHost(name, value);
      const isPath = pathName(name);
      const file = pathOfFile(value);
      if (host !== undefined) hosts.push(host);
      if (file !== undefined) paths.push(file);
      if (value.trim() !== "" && (isPath === "path" || (isPath === "maybe" && host === undefined))) paths.push(value);
    } else if (Array.isArray(value)) for (const item of value) visit(name, item, depth + 1);
    else for (const [key, item] of Object.entries(readFields(value))) visit(key, item, depth + 1);
  };
  visit("", input, 0);
  return { paths, hosts };
}

/** Stands for what is not looked at: no rule about paths allows it, and where one denies or asks, a person is asked. */
export const unknownPath = "/\0unknown";

/** Longer and deeper paths are not read: comparing them with every rule would take too long. */
const maxPathLength = 4096;
const maxFolders = 100;

function readablePaths(paths: readonly string[]): readonly string[] {
  const read = paths.filter((path) => path.length <= maxPathLength && path.split("/").length <= maxFolders);
  return read.length < paths.length ? [...read, unknownPath] : read;
}

/** Selects the diffs. Other content can name a path too, but does not show what would happen to it. */
function selectDiffs(content: unknown): unknown {
  return Array.isArray(content) ? content.filter((entry) => readFields(entry).type === "diff") : [];
}

function listPaths(entries: unknown): readonly string[] {
  if (!Array.isArray(entries)) return [];
  return entries.map((entry) => readFields(entry).path).filter((path) => typeof path === "string");
}

function readVariables(env: unknown): readonly Variable[] {
  if (Array.isArray(env)) {
    return env.map(readFields).map(({ name, value }) => ({ name: String(name), value: String(value) }));
  }
  return Object.entries(readFields(env)).map(([name, value]) => ({ name, value: String(value) }));
}

function nameInMeta(value: unknown, depth: number): string | undefined {
  if (depth > 3) return undefined;
  const fields = readFields(value);
  const direct = fields.toolName ?? fields.tool_name;
  if (typeof direct === "string") return direct;
  for (const inner of Object.values(fields)) {
    const found = nameInMeta(inner, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function firstText(...values: readonly unknown[]): string | undefined {
  return values.find((value) => typeof value === "string" && value !== "") as string | undefined;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((word) => typeof word === "string");
}
