// Declares what a question for permission is about, as the host computes it: the command, the paths, and the changes of files.
import type { EscalationTarget } from "@signalbox/rules";
import type { ToolKind } from "./acp.ts";
import { type Column, jsonObject, list } from "./columns.ts";
import { isJsonObject, type Json, type JsonObject } from "./json.ts";

/** Part of a file that changes, as in a unified diff. */
export type Hunk = {
  readonly old_start: number;
  readonly old_lines: number;
  readonly new_start: number;
  readonly new_lines: number;
  /** Each begins with " ", "+" or "-"; one that begins with a backslash says that the line before it has no newline. */
  readonly lines: readonly string[];
};

/** A change of one file that an agent asks about, computed by the host from the whole texts. */
export type ChangedFile = {
  readonly path: string;
  readonly status: "added" | "modified" | "deleted";
  readonly hunks: readonly Hunk[];
  /** Lines; null where the texts were not compared. */
  readonly added: number | null;
  readonly removed: number | null;
  /** Bytes; null where there is no such file. */
  readonly old_size: number | null;
  readonly new_size: number | null;
  readonly binary?: boolean;
  /** Too big to be compared: there are no hunks. */
  readonly too_big?: boolean;
  /** So many changes that parts of it were not compared line by line: what is the same there is also shown as changed. */
  readonly rough?: boolean;
  /** The agent named only a part of the file, which is not in the file exactly once: lines are counted from the beginning of that part. */
  readonly part?: boolean;
  /** The file on the disk could not be read. */
  readonly unread?: boolean;
  /** The agent compared with a text that is not the file's. */
  readonly outdated?: boolean;
};

/** The subject of a question as the host knows it, never as the agent names it. */
export type QuestionSubject = {
  readonly kind: ToolKind;
  readonly tool: string | null;
  /** The command; its beginning where it is very long. Null also where the agent wants to run one and does not say which. */
  readonly command: string | null;
  /** The end of a very long command. */
  readonly command_end: string | null;
  readonly command_lines: number;
  readonly command_length: number;
  /** The shell that the agent wraps around the command, such as `bash -lc`. */
  readonly shell: string | null;
  /** False when the input names more than one command line, or none. */
  readonly is_command_exact: boolean;
  /** Where the command runs, if not in the thread's folder. */
  readonly folder: string | null;
  /** Variables that could change what the command does, secrets removed. */
  readonly environment: readonly string[];
  /** The files of the programs that the command line names, where the host itself runs the command with more rights. */
  readonly programs: readonly string[];
  readonly paths: readonly string[];
  /** The hosts of addresses in the input. */
  readonly hosts: readonly string[];
  /** Hosts that the command line names. It can reach others. */
  readonly command_hosts: readonly string[];
  /** Rights that the command asks for beyond its sandbox, and the agent's reason; null if it asks for none. */
  readonly escalation: {
    readonly to: EscalationTarget;
    /** For `write`: the folder. */
    readonly folder: string | null;
    readonly reason: string;
  } | null;
  /** Network access as far as it is enforced: also `on` where nothing is enforced. Null for actions without network. */
  readonly network: "off" | "on" | "allow-list" | null;
  /** In this turn there was a question about the same command: the paths that it named. Null otherwise. */
  readonly asked_before: readonly string[] | null;
  /** The last of those was denied. */
  readonly denied_before: boolean;
  /** The thread's folder. */
  readonly thread_folder: string;
  /** The agent's own name for it. It decides nothing. */
  readonly title: string;
  /** The input of the call, where neither a command nor changes say what would happen. Of a long one the beginning. */
  readonly input: string | null;
};

export const changedFiles = list<ChangedFile>(isChangedFile);
export const questionSubject: Column<QuestionSubject | null> = {
  ...jsonObject,
  read: (stored) => toQuestionSubject(jsonObject.read(stored)),
};

/** Only the host writes these, so one field says the rest. */
function isChangedFile(value: Json): value is ChangedFile {
  return isJsonObject(value) && typeof value.path === "string" && Array.isArray(value.hunks);
}

function toQuestionSubject(value: JsonObject | null): QuestionSubject | null {
  // The log has facts that were recorded before these fields existed.
  const whole = {
    command_hosts: [],
    escalation: null,
    network: null,
    denied_before: false,
    programs: [],
    thread_folder: "",
    title: "",
    input: null,
    ...value,
  };
  return value !== null && isQuestionSubject(whole) ? whole : null;
}

function isQuestionSubject(value: JsonObject): value is QuestionSubject {
  return typeof value.kind === "string" && Array.isArray(value.environment);
}
