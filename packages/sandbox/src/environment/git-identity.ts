// Gives git inside the sandbox the person's name, address and harmless preferences, in a settings file of ours. The real one is not shown: it can hold
// tokens and name programs. A file, and not variables for each setting, because a repository's own settings must win over it.
import { execFileSync } from "node:child_process";
import { mkdirSync, renameSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { readPlainText } from "../files/read-plain-file.ts";
import { isHarmless } from "../git-settings/harmless-settings.ts";

/** In the data folder. Commands can read it. */
export const identityFolder = "git";

const maxBytes = 1_000_000;
const maxIncludes = 20;

const written = new Map<string, string>();

/** The variable that leads git to the file; empty where the person has no settings. Reads them again only when they have changed. */
export function gitIdentityVariables(dataFolder: string): Readonly<Record<string, string>> {
  const named = process.env.GIT_CONFIG_GLOBAL;
  const config = process.env.XDG_CONFIG_HOME || join(homedir(), ".config");
  const sources = named === undefined ? [join(config, "git/config"), join(homedir(), ".gitconfig")] : [named];
  const ignored = join(config, "git/ignore");
  const state = JSON.stringify([...sources, ignored].map(describeFile));
  const file = join(dataFolder, identityFolder, "config");
  if (written.get(file) !== state) writeIdentity(file, sources, ignored);
  written.set(file, state);
  return { GIT_CONFIG_GLOBAL: file };
}

function describeFile(path: string): readonly unknown[] {
  const status = statSync(path, { throwIfNoEntry: false });
  return [path, status?.mtimeMs, status?.size, status?.ino];
}

function writeIdentity(file: string, sources: readonly string[], ignored: string): void {
  const folder = dirname(file);
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const copies = new Copies(folder);
  const lines = sources.flatMap((source) => copies.filter(source));
  const ignores = readSmall(copies.ignoreFile ?? ignored);
  if (ignores !== undefined) {
    replaceFile(join(folder, "ignore"), ignores);
    lines.push("[core]", `\texcludesFile = ${quote(join(folder, "ignore"))}`);
  }
  replaceFile(file, `${lines.join("\n")}\n`);
}

/** Writes each included file, filtered too: people choose their address by the folder that they work in. */
class Copies {
  readonly #folder: string;
  #count = 0;
  ignoreFile: string | undefined;

  constructor(folder: string) {
    this.#folder = folder;
  }

  filter(source: string): string[] {
    return readSettings(source).flatMap(({ section, subsection, key, value }) => {
      if (section === "core" && key === "excludesfile") this.ignoreFile = expand(value, source);
      if (key === "path" && (section === "include" || section === "includeif"))
        return this.#include(section, subsection, expand(value, source));
      const isIdentity = section === "user" && (key === "name" || key === "email");
      const isPreference = isHarmless({ section, subsection, key, value, writtenKey: key }, () => true);
      return subsection === "" && (isIdentity || isPreference) ? [`[${section}]`, `\t${key} = ${quote(value)}`] : [];
    });
  }

  #include(section: string, condition: string, source: string): string[] {
    if (++this.#count > maxIncludes) return [];
    const copy = join(this.#folder, `included-${this.#count}`);
    replaceFile(copy, `${this.filter(source).join("\n")}\n`);
    const head = section === "include" ? "[include]" : `[includeIf ${quote(condition)}]`;
    return [head, `\tpath = ${quote(copy)}`];
  }
}

interface Setting {
  readonly section: string;
  readonly subsection: string;
  readonly key: string;
  readonly value: string;
}

/** Git itself reads the file: it knows every way of writing one. */
function readSettings(source: string): readonly Setting[] {
  if (readSmall(source) === undefined) return [];
  try {
    const words = ["config", "--file", source, "--no-includes", "--null", "--list"];
    const text = execFileSync("git", words, {
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
      timeout: 5000,
      cwd: "/",
    });
    return text.split("\0").flatMap((entry) => {
      const [, section = "", subsection = "", key = "", value] =
        /^([^.\n]+)\.(?:([^\n]*)\.)?([^.\n]+)\n(.*)$/s.exec(entry) ?? [];
      return value === undefined || value.includes("\n") ? [] : [{ section, subsection, key, value }];
    });
  } catch {
    return []; // no git, or a file that it cannot read: then git inside knows no name either
  }
}

function expand(path: string, source: string): string {
  const own = path.replace(/^~(?=\/)/, homedir());
  return isAbsolute(own) ? own : resolve(dirname(source), own);
}

function readSmall(path: string): string | undefined {
  try {
    return readPlainText(path, maxBytes);
  } catch {
    return undefined;
  }
}

function quote(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}

/** Other threads may read the file at the same time. */
function replaceFile(path: string, text: string): void {
  const made = `${path}.${process.pid}`;
  writeFileSync(made, text, { mode: 0o644 });
  renameSync(made, path);
}
