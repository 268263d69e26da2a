// package-lock.json decides what `npm ci` runs on every platform, so every package in it is pinned by its hash.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "./source-files.ts";

interface LockEntry {
  readonly link?: boolean;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

const lock = JSON.parse(readFileSync(join(root, "package-lock.json"), "utf8")) as {
  readonly packages: Readonly<Record<string, LockEntry>>;
};
const entries = Object.entries(lock.packages);
const installed = entries.filter(([path, entry]) => path.includes("node_modules/") && entry.link !== true);

describe("package-lock.json", () => {
  it("has a SHA-512 for every package, of every platform", () => {
    const unverified = installed.filter(([, entry]) => !entry.integrity?.startsWith("sha512-")).map(([path]) => path);
    expect(unverified).toEqual([]);
  });

  // npm leaves a platform's package out without an error when the registry does not have it.
  it("holds every optional package that an entry names", () => {
    const absent = entries.flatMap(([path, entry]) =>
      Object.keys(entry.optionalDependencies ?? {})
        .filter((name) => !isLocked(path, name))
        .map((name) => `${path} wants ${name}`),
    );
    expect(absent).toEqual([]);
  });

  it("names no registry", () => {
    const resolved = installed.filter(([, entry]) => entry.resolved !== undefined).map(([path]) => path);
    expect(resolved).toEqual([]);
  });
});

/** npm looks in the package's own node_modules first, then in each folder above. */
function isLocked(from: string, name: string): boolean {
  let at = from;
  for (;;) {
    if (lock.packages[at === "" ? `node_modules/${name}` : `${at}/node_modules/${name}`] !== undefined) return true;
    if (at === "") return false;
    at = at.includes("/node_modules/") ? at.slice(0, at.lastIndexOf("/node_modules/")) : "";
  }
}
