// Carries sessions that an agent made inside the sandbox to its real state, where the person's config says so, to be resumed in a terminal. Only lines of
// conversation go: no settings, modes, hooks or lists of files to restore, and nothing through a link.
import { mkdirSync } from "node:fs";
import { isJsonObject, type Json } from "@signalbox/protocol";
import { type AgentPlaces, FolderEntries } from "@signalbox/sandbox";
import type { AgentSandbox, StoredSessions } from "./registry.ts";

const maxBytes = 64 * 1024 * 1024;
/** A state with more than this is not looked through, and its sessions stay inside. */
const treeLimits = { entries: 100_000, depth: 20 };

/** For an agent that has ended. A session that went on outside since stays as it is there. Never throws. */
export function returnSessions({ state }: AgentSandbox, { layers }: Pick<AgentPlaces, "layers">): void {
  for (const [index, { sessions }] of state.entries()) {
    const layer = layers[index];
    if (sessions === undefined || layer === undefined || layer.standIn.type === "empty") continue;
    const { standIn } = layer;
    const inside = new FolderEntries(standIn.type === "overlay" ? standIn.upper : standIn.folder);
    const outside = new FolderEntries(layer.path);
    for (const name of listSessionFiles(inside, sessions.files)) {
      try {
        const after = readText(inside, name);
        const text = after === undefined ? undefined : addConversation(readText(outside, name) ?? "", after, sessions);
        if (text === undefined) continue;
        mkdirSync(layer.path, { recursive: true, mode: 0o700 });
        outside.writeFile(name, Buffer.from(text), 0o600);
      } catch {
        // A line is not JSON, or the folder cannot be written: the session stays inside.
      }
    }
  }
}

function listSessionFiles(folder: FolderEntries, files: string): readonly Buffer[] {
  const [top = ""] = files.split("/*");
  const pattern = new RegExp(`^${files.replaceAll(".", "\\.").replaceAll("*", "[\\w%+-][\\w.%+-]*")}$`);
  try {
    return folder.filesBelow(Buffer.from(top), treeLimits)?.filter((name) => pattern.test(name.toString())) ?? [];
  } catch {
    return []; // a folder that the agent has closed
  }
}

/** Undefined for anything but a regular file of a usual size. */
function readText(folder: FolderEntries, name: Buffer): string | undefined {
  const entry = folder.read(name, maxBytes);
  return entry.type === "file" ? entry.bytes.toString("utf8") : undefined;
}

/** The session outside with what was said inside since; undefined where nothing was, or where it is another conversation by now. Throws for text that is not JSON. */
function addConversation(before: string, after: string, sessions: StoredSessions): string | undefined {
  // A session from outside has its own lines first, a session from inside those that went back earlier.
  const text = after.startsWith(before)
    ? before + keepConversation(after.slice(before.length), sessions)
    : keepConversation(after, sessions);
  return text.startsWith(before) && text !== before ? text : undefined;
}

function keepConversation(text: string, { lineTypes, dropped }: StoredSessions): string {
  const lines = text.split("\n").filter((line) => line !== "");
  return lines
    .map((line) => JSON.parse(line) as Json)
    .filter((line) => isJsonObject(line) && typeof line.type === "string" && lineTypes.includes(line.type))
    .map((line) => Object.entries(line ?? {}).filter(([key]) => !dropped.includes(key)))
    .map((fields) => `${JSON.stringify(Object.fromEntries(fields))}\n`)
    .join("");
}
