// Finds where a path really leads, also if its end does not exist yet. Links are followed one by one, as the kernel does, until a name is
// missing; the rest stays as written.
import { lstatSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { isInside } from "./policy.ts";

type RealPath =
  | { readonly found: true; readonly path: string }
  | { readonly found: false; readonly problem: "not-absolute" | "not-a-path" | "too-many-links" | "cannot-look" };

/** As many links as Linux follows in one path. */
const maxLinks = 40;

export function resolveRealPath(path: string): RealPath {
  return walk(path, readStep);
}

/** The links that the path leads over, each by its own real path. */
export function listLinks(path: string): readonly string[] {
  const links: string[] = [];
  walk(path, (each) => {
    const step = readStep(each);
    if (step.kind === "link") links.push(each);
    return step;
  });
  return links;
}

/**
 * Gives a `realPathOf` that reads each name from the disk only once, for many paths that share their folders. Do not keep it: it does
 * not see what changes later.
 */
export function realPathsNow(): (path: string) => RealPath {
  const seen = new Map<string, Step>();
  const readOnce = (path: string): Step => {
    const step = seen.get(path) ?? readStep(path);
    seen.set(path, step);
    return step;
  };
  return (path) => walk(path, readOnce);
}

function walk(path: string, stepTo: (path: string) => Step): RealPath {
  if (path.includes("\0")) return { found: false, problem: "not-a-path" };
  if (!path.startsWith("/")) return { found: false, problem: "not-absolute" };
  const remaining = path.split("/").toReversed();
  let real = "";
  let links = 0;
  let missing = false;
  for (let name = remaining.pop(); name !== undefined; name = remaining.pop()) {
    if (name === "" || name === ".") continue;
    if (name === "..") {
      real = real.slice(0, Math.max(0, real.lastIndexOf("/")));
      missing = false; // what is above a missing folder exists again
      continue;
    }
    const next = `${real}/${name}`;
    const step = missing ? { kind: "missing" as const } : stepTo(next);
    switch (step.kind) {
      case "missing":
        missing = true;
        real = next;
        break;
      case "entry":
        real = next;
        break;
      case "link":
        if (++links > maxLinks) return { found: false, problem: "too-many-links" };
        if (step.target.startsWith("/")) real = "";
        remaining.push(...step.target.split("/").toReversed());
        break;
      case "unknown":
        return { found: false, problem: "cannot-look" };
    }
  }
  return { found: true, path: real === "" ? "/" : real };
}

/** Where the path leads, by the name that `folder` gives it; undefined where that cannot be seen. */
export function resolveInFolder(path: string, folder: string, realPath = resolveRealPath): string | undefined {
  const real = realPath(path);
  return real.found ? nameInFolder(real.path, folder, realPath) : undefined;
}

/** A real path inside the folder is named as in that folder, which may itself be reached by a link; any other as it is. */
export function nameInFolder(path: string, folder: string, realPath = resolveRealPath): string {
  const real = realPath(folder);
  return real.found && isInside(path, real.path) ? join(folder, path.slice(real.path.length)) : path;
}

type Step = { readonly kind: "entry" | "missing" | "unknown" } | { readonly kind: "link"; readonly target: string };

function readStep(path: string): Step {
  try {
    const status = lstatSync(path, { throwIfNoEntry: false });
    if (status === undefined) return { kind: "missing" };
    return status.isSymbolicLink() ? { kind: "link", target: readlinkSync(path) } : { kind: "entry" };
  } catch (error) {
    // A file where a folder should be ends the walk like a missing name: nothing can be below it.
    return { kind: (error as NodeJS.ErrnoException).code === "ENOTDIR" ? "missing" : "unknown" };
  }
}
