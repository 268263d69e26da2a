// Describes a question for the person who answers it, from what the host itself knows: what would run or change, where, and what of it is outside
// the thread's folder. What the agent calls it is not part of this.
import { homedir } from "node:os";
import type { Json, JsonObject, QuestionSubject } from "@signalbox/protocol";
import {
  absolutePath,
  hostsInCommand,
  isHarmlessVariable,
  isNetworkOfCommand,
  isWithin,
  pathsInCommand,
  type Subject,
  unwrapCommand,
} from "@signalbox/rules";
import { redactText } from "@signalbox/tool-calls";
import type { QuestionFacts } from "../permissions/broker.ts";
import { changedFiles } from "./changed-files.ts";
import { findPrograms } from "./find-programs.ts";
import { realPath } from "./real-paths.ts";
import { describeNetwork, type ThreadContext } from "./thread-context.ts";

/** Of a longer command the row has the beginning and the end. */
const maxCommandLength = 24_000;
const commandEndLength = 6000;
/** Why an agent wants more rights. */
const maxReasonLength = 1000;
/** The agent's words decide nothing: a flood of them must not push what does out of sight. */
const maxTitleLength = 300;
/** As many as an answer can open. */
const maxPaths = 200;

interface PermissionRequest {
  readonly subject: Subject;
  /** The call as the question has it. */
  readonly asked: JsonObject;
  /** The same, with what was announced before. */
  readonly known: JsonObject;
  /** The host itself will do it. */
  readonly isByHost: boolean;
}

/** What the host knows about the question. Takes as long as reading the files that would change. */
export async function describeQuestion(thread: ThreadContext, asked: PermissionRequest): Promise<QuestionFacts> {
  const { subject } = asked;
  const outside = outsidePaths(thread, subject);
  const asked_before = thread.permissions.history.add(subject, outside);
  const denied_before = thread.permissions.history.wasDenied(subject);
  const changes = await changedFiles(thread, asked.asked, asked.known, subject);
  // A title is what the agent calls it: a person would take it for the command that runs.
  const isOnlyTitle = !subject.isCommandExact && subject.command === asked.known.title;
  const shown = isOnlyTitle ? { ...subject, command: undefined } : subject;
  const { title, rawInput = null } = asked.known;
  const known = {
    asked_before,
    denied_before,
    network: findNetwork(thread, asked),
    title: typeof title === "string" ? shorten(title, maxTitleLength) : "",
    input: shown.command === undefined && changes.hunks.length === 0 ? formatInput(rawInput) : null,
  };
  const programs = asked.isByHost && subject.escalation !== undefined ? findSubjectPrograms(subject) : [];
  return { subject: subjectRow(shown, { ...known, programs }), outside, ...changes };
}

/** The same for a command that a person lets run again. There is no question: the person chose it. */
export function describeRunAgain(thread: ThreadContext, subject: Subject): Pick<QuestionFacts, "subject" | "outside"> {
  const network = findNetwork(thread, { subject, isByHost: true });
  const known = { asked_before: null, denied_before: false, network, title: "", input: null };
  const programs = findSubjectPrograms(subject);
  return { subject: subjectRow(subject, { ...known, programs }), outside: outsidePaths(thread, subject) };
}

function findSubjectPrograms({ command = "", commandFolder, variables }: Subject): readonly string[] {
  const path = variables.find(({ name }) => name === "PATH")?.value ?? process.env.PATH;
  return findPrograms(unwrapCommand(command).line, { folder: commandFolder, path });
}

function formatInput(input: Json): string | null {
  if (input === null) return null;
  return shorten(typeof input === "string" ? input : JSON.stringify(input, null, 2), maxCommandLength);
}

function shorten(text: string, maxLength: number): string {
  return text.length > maxLength ? `${text.slice(0, maxLength).toWellFormed()}…` : text;
}

/** A command has the network of the place where it runs. What else reaches for it is the agent's own process, which nothing holds. */
function findNetwork(
  thread: ThreadContext,
  { subject, isByHost }: Pick<PermissionRequest, "subject" | "isByHost">,
): QuestionSubject["network"] {
  const { command, kind, hosts, escalation } = subject;
  if (escalation?.to === "outside" || escalation?.to === "network" || isNetworkOfCommand(subject)) return "on";
  if (command === undefined) return kind === "fetch" || hosts.length > 0 ? "on" : null;
  return isByHost ? describeNetwork(thread.sandbox) : thread.sandbox.described.network;
}

function subjectRow(
  subject: Subject,
  known: Pick<QuestionSubject, "asked_before" | "denied_before" | "network" | "programs" | "title" | "input">,
): QuestionSubject {
  const { kind, tool, command, commandFolder, cwd, isCommandExact, variables, paths, targets, hosts, escalation } =
    subject;
  const { line, shell } = unwrapCommand(command ?? "");
  const isLong = line.length > maxCommandLength;
  return {
    kind,
    tool: tool ?? null,
    command: command === undefined ? null : isLong ? line.slice(0, maxCommandLength - commandEndLength) : line,
    command_end: isLong ? line.slice(-commandEndLength) : null,
    command_lines: command === undefined ? 0 : line.trimEnd().split("\n").length,
    command_length: line.length,
    shell: shell ?? null,
    is_command_exact: isCommandExact,
    thread_folder: cwd,
    folder: commandFolder === cwd || command === undefined ? null : commandFolder,
    environment: variables
      .filter(({ name, value }) => !isHarmlessVariable(name, value))
      .map(({ name, value }) => redactText(`${name}=${value}`)),
    paths: (targets.length > 0 ? targets : paths).slice(0, maxPaths),
    hosts: hosts.slice(0, maxPaths),
    command_hosts: command === undefined ? [] : hostsInCommand(line),
    escalation:
      escalation === undefined
        ? null
        : {
            to: escalation.to,
            folder: escalation.folder ?? null,
            reason: redactText(escalation.reason).slice(0, maxReasonLength),
          },
    ...known,
  };
}

function outsidePaths(thread: ThreadContext, subject: Subject): readonly string[] {
  const { command, commandFolder, paths } = subject;
  const folder = absolutePath(subject.cwd, "/");
  const inCommand = command === undefined ? [] : pathsInCommand(unwrapCommand(command).line, commandFolder);
  const real = inCommand.slice(0, maxPaths).map((path) => realPath(thread, path.replace(/^~(?=\/|$)/, homedir())));
  const all = [...paths, ...real, ...(command === undefined ? [] : [commandFolder])];
  return [...new Set(all)].filter((path) => !isWithin(path, folder)).slice(0, maxPaths);
}
