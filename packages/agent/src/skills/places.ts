// Lists the folders in which skills and command files are looked for: Signalbox's own and those of other tools, of the user and of the project.
import { join } from "node:path";

export interface SessionPlaces {
  readonly cwd: string;
  /** Signalbox's own folder. */
  readonly home: string;
  /** The user's home folder. */
  readonly userHome: string;
}

export interface Place {
  readonly folder: string;
  readonly origin: "user" | "project";
  /** False for a folder of other tools: what is wrong in it is for them to report. */
  readonly isSignalboxFolder: boolean;
}

const otherTools = [".agents", ".claude"] as const;

/** Of each origin Signalbox's own folder first. */
export function listPlaces(
  what: "skills" | "commands",
  { cwd, home, userHome }: SessionPlaces,
): { readonly user: readonly Place[]; readonly project: readonly Place[] } {
  const places = (origin: Place["origin"], own: string, parent: string): readonly Place[] => [
    { folder: join(own, what), origin, isSignalboxFolder: true },
    ...otherTools.map((tool) => ({ folder: join(parent, tool, what), origin, isSignalboxFolder: false })),
  ];
  return { user: places("user", home, userHome), project: places("project", join(cwd, ".signalbox"), cwd) };
}
