// Decides about our tools as Claude Code decides about the tools that they replace: reading in the session's folders needs no permission, edits
// follow the mode, commands are always asked about. The client may still refuse what is allowed here.
import { relative, resolve } from "node:path";
import { isInside, isObeyed } from "@signalbox/agent-kit";
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
          place.mode === "acceptEdits" && isKnownPlace(input.file_path, place) && !isDelicate(input.file_path, place)
            ? "allow"
            : "ask",
      };
    default:
      return { type: "ask" };
  }
}

function isKnownPlace(path: unknown, place: OwnToolPlace): boolean {
  return isOwnPlan(path, place) || pathInFolder(path, place) !== undefined;
}

function isOwnPlan(path: unknown, { cwd, plans }: OwnToolPlace): boolean {
  return typeof path === "string" && isPlan(resolve(cwd, path), plans);
}

/** Files that make other programs do something are never edited without a question, and neither is anything of Claude Code's and VS Code's. */
function isDelicate(path: unknown, place: OwnToolPlace): boolean {
  const inFolder = pathInFolder(path, place);
  if (inFolder === undefined || isObeyed(inFolder)) return true;
  const names = inFolder.toLowerCase().split("/");
  return names.includes(".claude") || names.includes(".vscode");
}

/** Relative to the session's folder that it is in: a worktree of ours lies in a folder of that name, and may be edited. */
function pathInFolder(path: unknown, { cwd, folders }: OwnToolPlace): string | undefined {
  if (typeof path !== "string") return undefined;
  const full = resolve(cwd, path);
  const folder = [cwd, ...folders].find((each) => isInside(full, resolve(each)));
  return folder === undefined ? undefined : relative(folder, full);
}
