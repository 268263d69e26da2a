// Decides whether a path may be read or written, by where the path really leads. If that cannot be found out, the answer is no.
import { lstatSync, readdirSync, type Stats } from "node:fs";
import { join } from "node:path";
import { decide, findRule, type Operation } from "./decide.ts";
import type { Decision, Policy, Rule } from "./policy.ts";
import { resolveRealPath } from "./real-path.ts";

export function canRead(policy: Policy, path: string): Decision {
  return canAccess(policy, path, "read");
}

export function canWrite(policy: Policy, path: string): Decision {
  return canAccess(policy, path, "write");
}

export function canAccess(policy: Policy, path: string, operation: Operation): Decision {
  const real = resolveRealPath(path);
  if (!real.found) return refusePath(path, operation, problems[real.problem]);
  const decision = decide(policy, real.path, operation);
  if (!decision.allowed) return decision;
  const secret = hardLinkToSecret(policy, real.path);
  if (secret === undefined) return decision;
  const message = `${participles[operation]} ${path} is not allowed: it is a hard link to ${secret.path} (rule ${secret.rule.name})`;
  return { allowed: false, path: real.path, rule: secret.rule.name, message };
}

const participles: Record<Operation, string> = { read: "reading", write: "writing" };

const problems = {
  "not-absolute": "the path must be absolute",
  "not-a-path": "it contains a zero byte",
  "too-many-links": "it goes through too many symbolic links",
  "cannot-look": "a folder on the way cannot be looked into",
};

function refusePath(path: string, operation: Operation, why: string): Decision {
  return { allowed: false, path, rule: "path", message: `${participles[operation]} ${path} is not allowed: ${why}` };
}

/**
 * A second name of a secret file, anywhere, is that secret. Only files with several names are looked up, against the
 * secrets and what lies up to two folders deep in secret folders.
 */
function hardLinkToSecret(policy: Policy, path: string): { readonly path: string; readonly rule: Rule } | undefined {
  const status = readStatus(path);
  if (status === undefined || !status.isFile() || status.nlink < 2) return undefined;
  for (const rule of policy.rules) {
    if (rule.access !== "hidden") continue;
    for (const start of listSecretPlaces(rule)) {
      const found = findSameFile(policy, start, status, 2);
      if (found !== undefined) return { path: found, rule };
    }
  }
  return undefined;
}

/** Keys in a home folder lie behind names that begin with a dot. The rest of it is large, and full of second names of harmless files. */
function listSecretPlaces({ name, path }: Rule): readonly string[] {
  if (name !== "home") return [path];
  return listNames(path)
    .filter((entry) => entry.startsWith("."))
    .map((entry) => join(path, entry));
}

function findSameFile(policy: Policy, path: string, wanted: Stats, depth: number): string | undefined {
  const status = readStatus(path);
  if (status === undefined || findRule(policy, path).access !== "hidden") return undefined;
  if (status.ino === wanted.ino && status.dev === wanted.dev) return path;
  if (!status.isDirectory() || depth === 0) return undefined;
  for (const name of listNames(path)) {
    const found = findSameFile(policy, join(path, name), wanted, depth - 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

function readStatus(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}
