// Lists the files of a workspace that programs outside of the sandbox obey without being asked to run the project: git when it
// looks at the folder, agents and editors when they open it. docs/sandbox.md has the whole list, with what was decided otherwise.
import { lstatSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { fold, type Guard, type Rule } from "./policy.ts";

/** What git obeys, relative to the folder of a repository. */
const gitGuards: readonly (readonly [path: string, guard: Guard])[] = [
  ["hooks", "folder"],
  ["config", "existing"],
  ["config.worktree", "existing"],
  // Names another folder from which git takes settings and hooks. A main repository has none.
  ["commondir", "absent"],
];

/** The same of a linked work tree's folder inside the repository. Git writes these three once. */
const linkedTreeFiles: readonly string[] = ["commondir", "gitdir", "config.worktree"];

/** Programs and servers that an agent starts for the project, and commands that it runs at its own events. */
const agentSettings: readonly string[] = [
  ".signalbox",
  ".mcp.json",
  ".claude/settings.json",
  ".claude/settings.local.json",
  ".codex",
  ".cursor/hooks.json",
  ".cursor/mcp.json",
  ".factory/settings.json",
  ".factory/mcp.json",
  ".gemini/settings.json",
  ".grok/settings.json",
  ".opencode",
  ".pi/extensions",
  ".pi/settings.json",
  ".qwen/settings.json",
  "opencode.json",
  "opencode.jsonc",
];

/** Tasks that start when a folder is opened, and programs that an editor runs while a file is looked at. */
const editorSettings: readonly string[] = [
  ".vscode/tasks.json",
  ".vscode/settings.json",
  ".vscode/mcp.json",
  ".idea",
  ".zed",
  ".devcontainer",
  ".devcontainer.json",
];

export function guardRules(workspace: string): Rule[] {
  return [
    ...gitGuards.map(([path, guard]) => gitRule(join(workspace, ".git", path), guard)),
    ...agentSettings.map((path): Rule => guardRule(join(workspace, path), "project-settings")),
    ...editorSettings.map((path): Rule => guardRule(join(workspace, path), "editor-settings")),
  ];
}

function gitRule(path: string, guard: Guard): Rule {
  return { path, access: "read", name: "git-internals", guard };
}

function guardRule(path: string, name: Rule["name"]): Rule {
  return { path, access: "read", name, guard: "existing" };
}

/** More of them than this are not looked for: each costs every command. */
const maxInnerRepositories = 200;
const maxDepth = 6;

/** What git obeys besides, as it is now: submodules, linked work trees, included settings, and the workspace itself. */
export function moreGitRules(gitFolder: string, workspace: string): Rule[] {
  const modules = repositoriesIn(join(gitFolder, "modules"), maxDepth).slice(0, maxInnerRepositories);
  const trees = foldersIn(join(gitFolder, "worktrees")).slice(0, maxInnerRepositories);
  // Where .git is damaged, git takes a folder with HEAD, objects and refs for the repository, and obeys the `config` beside them.
  const head = join(workspace, "HEAD");
  return [
    ...modules.flatMap((folder) => gitGuards.map(([path, guard]) => gitRule(join(folder, path), guard))),
    ...trees.flatMap((folder) => linkedTreeFiles.map((path) => gitRule(join(folder, path), "existing"))),
    ...includedSettings(gitFolder).map((path) => gitRule(path, "existing")),
    ...(exists(head) ? [] : [gitRule(head, "absent")]),
  ];
}

/** Files that the settings include: `[include] path = ../.gitconfig`. */
function includedSettings(gitFolder: string): string[] {
  return [...settingsOf(gitFolder).matchAll(/^\s*path\s*=\s*"?([^"\n#;]+)/gim)]
    .map((match) => resolve(gitFolder, (match[1] ?? "").trim()))
    .filter(exists);
}

/** Git reads `config.worktree` only where its settings say so. */
export function readsWorktreeConfig(gitFolder: string): boolean {
  return /worktreeconfig/i.test(settingsOf(gitFolder));
}

function settingsOf(gitFolder: string): string {
  try {
    return readFileSync(join(gitFolder, "config"), "utf8");
  } catch {
    return "";
  }
}

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** A submodule's name may have slashes, so its repository may lie deeper. */
function repositoriesIn(folder: string, depth: number): string[] {
  if (depth === 0) return [];
  return foldersIn(folder).flatMap((inner) =>
    statSync(join(inner, "HEAD"), { throwIfNoEntry: false }) === undefined
      ? repositoriesIn(inner, depth - 1)
      : [inner, ...repositoriesIn(join(inner, "modules"), depth - 1)],
  );
}

function foldersIn(folder: string): string[] {
  try {
    if (statSync(folder, { throwIfNoEntry: false }) === undefined) return []; // an error costs more than this question
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => join(folder, entry.name));
  } catch {
    return [];
  }
}

/**
 * True for what git obeys in any repository, also nested ones. For file tools: they have no business there, whereas commands such as
 * `git rebase` and `git submodule update` have. A rebase and its like run the commands of their to-do list when they are continued.
 */
export function isGitInternal(path: string): boolean {
  const names = fold(path).split("/");
  const git = names.indexOf(".git");
  if (git === -1) return false;
  const inside = names.slice(git + 1);
  const last = inside.at(-1) ?? ".git"; // a file named .git leads to another repository
  return obeyedFolders.some((folder) => inside.includes(folder)) || last === ".git" || gitFiles.includes(last);
}

const obeyedFolders: readonly string[] = ["hooks", "rebase-merge", "rebase-apply", "sequencer"];
const gitFiles: readonly string[] = ["head", "config", "config.worktree", "commondir", "gitdir"];
