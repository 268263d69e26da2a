// Leaves out of a search the files that a rule of the user keeps from the model, and says so. The sandbox hides them from ripgrep, but not their names.
import { existsSync } from "node:fs";
import { relative } from "node:path";
import { isInside } from "@signalbox/agent-kit";
import type { Workspace } from "../workspace.ts";

interface LeftOut {
  readonly isHidden: (path: string) => boolean;
  /** Empty where nothing is left out of this search. */
  readonly note: string;
}

const maxNamed = 5;

export async function findLeftOut(workspace: Workspace, searched: string): Promise<LeftOut> {
  const hidden = (await workspace.listHiddenPaths()).filter((path) => existsSync(path));
  const folder = workspace.files.absolute(searched);
  const here = hidden.filter((path) => isInside(path, folder) || isInside(folder, path));
  const names = here.slice(0, maxNamed).map((path) => relative(workspace.cwd, path));
  const more = here.length > maxNamed ? ` and ${here.length - maxNamed} more` : "";
  return {
    isHidden: (path) => hidden.some((each) => isInside(workspace.files.absolute(path), each)),
    note: here.length === 0 ? "" : `[A rule of the user leaves out: ${names.join(", ")}${more}]`,
  };
}
