// Reads whole files and lists folders for tools, only where the policy allows it.
import { readdir } from "node:fs/promises";
import { canAccess } from "../policy/can-access.ts";
import { decide } from "../policy/decide.ts";
import type { Policy } from "../policy/policy.ts";
import { OpenFolder, openForRead } from "./open-verified.ts";
import { insist } from "./sandbox-error.ts";

export async function readFileChecked(policy: Policy, path: string, signal?: AbortSignal): Promise<Buffer> {
  await using file = await openForRead(policy, path);
  return await file.readFile(signal === undefined ? {} : { signal });
}

export interface FolderEntry {
  readonly name: string;
  readonly kind: "file" | "folder" | "link" | "other";
}

/** `confirm` gets the real path of what was opened, and throws to prevent it. */
export async function listFolderChecked(
  policy: Policy,
  path: string,
  confirm: (realPath: string) => void = () => {},
): Promise<FolderEntry[]> {
  const real = insist(canAccess(policy, path, "read"));
  await using folder = await OpenFolder.at(real);
  insist(decide(policy, folder.path, "read"));
  confirm(folder.path);
  const entries = await readdir(folder.formatPath("."), { withFileTypes: true });
  return entries
    .map(
      (entry): FolderEntry => ({
        name: entry.name,
        kind: entry.isFile() ? "file" : entry.isDirectory() ? "folder" : entry.isSymbolicLink() ? "link" : "other",
      }),
    )
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
