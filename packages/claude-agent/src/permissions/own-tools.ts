// Decides about our tools as Claude Code decides about the tools that they replace: reading in the session's folders needs no permission, edits
// follow the mode, commands are always asked about. The client may still refuse what is allowed here.
import { isAbsolute, relative, resolve, sep } from "node:path";
import type { PermissionMode } from "../sdk/sdk.ts";
import { isPlan } from "../tools/files.ts";

export interface OwnToolPlace {
  readonly cwd: string;
  readonly folders: readonly string[];
  /** Where Claude keeps the plans that it writes in plan mode. */
  readonly plans: string;
  readonly mode: PermissionMode;
}

type OwnDecision = { readonly type: "allow" | "ask" } | { readonly type: "deny"; readonly message: string };

const planMessage = "Plan mode is on: nothing may be changed but the plan. Finish the plan and leave plan mode first.";

export function decideOwnTool(
  name: string,
  input: Readonly<Record<string, unknown>>,
  place: OwnToolPlace,
): OwnDecision {
  switch (name) {
    case "BashOutput":
    case "KillShell":
      return { type: "allow" };
    case "Read":
      return { type: isKnownPlace(input.file_path, place) ? "allow" : "ask" };
    case "Write":
    case "Edit":
      if (isOwnPlan(input.file_path, place)) return { type: "allow" };
      if (place.mode === "plan") return { type: "deny", message: planMessage };
      return {
        type:
          place.mode === "acceptEdits" && isKnownPlace(input.file_path, place) && !isDelicate(input.file_path)
            ? "allow"
            : "ask",
      };
    default:
      return { type: "ask" };
  }
}

function isKnownPlace(path: unknown, place: OwnToolPlace): boolean {
  if (typeof path !== "string") return false;
  const full = resolve(place.cwd, path);
  return isOwnPlan(path, place) || [place.cwd, ...place.folders].some((folder) => isInside(full, folder));
}

function isOwnPlan(path: unknown, { cwd, plans }: OwnToolPlace): boolean {
  return typeof path === "string" && isPlan(resolve(cwd, path), plans);
}

/** Files that make other programs do something: never edited without a question. */
function isDelicate(path: unknown): boolean {
  return String(path)
    .split(/[/\\]/)
    .some((part) => [".git", ".claude", ".vscode", ".idea", ".signalbox"].includes(part.toLowerCase()));
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || !(way === ".." || way.startsWith(`..${sep}`) || isAbsolute(way));
}
