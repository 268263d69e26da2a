// Lists the files of a workspace that programs outside of the sandbox obey without being asked to run the project: git when it
// looks at the folder, agents and editors when they open it, shells when they enter it. docs/sandbox.md has the whole list, with what was decided otherwise.
import { isUtf8 } from "node:buffer";
import { lstatSync, readdirSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { readPlainText } from "../files/read-plain-file.ts";
import { fold, type Guard, isInside, type Rule } from "./policy.ts";

/** Files that git obeys, relative to the folder of a repository. */
const gitGuards: readonly (readonly [path: string, guard: Guard])[] = [
  ["hooks", "absent"],
  ["config", "existing"],
  ["config.worktree", "existing"],
  // Names another folder from which git takes settings and hooks. A main repository has none.
  ["commondir", "absent"],
  // Remotes in the form of long ago: a name that the settings do not have leads to a folder, whose hooks a push runs.
  ["remotes", "absent"],
  ["branches", "absent"],
];

/** The same of a linked work tree's folder inside the repository. Git writes these three once. */
const linkedTreeFiles: readonly string[] = ["commondir", "gitdir", "config.worktree"];

/** Settings of other version controls, which name programs as git's do, and what leads to them. Where such a repository is, none may be made. */
const repositorySettings: readonly string[] = [
  ".git/sl/config", // of Sapling
  ".hg/hgrc",
  ".hg/hgrc-not-shared",
  ".hg/sharedpath",
  ".jj/repo/config.toml",
  ".pijul/config",
  ".sl/config",
  "_darcs/prefs/defaults",
];

/** Programs and servers that an agent starts for the project, and commands that it runs at its own events. */
const agentSettings: readonly string[] = [
  ".signalbox",
  ".mcp.json",
  ".aider.conf.yml",
  ".amazonq",
  ".amp/settings.json",
  ".augment/settings.json",
  ".claude/hooks",
  ".claude/settings.json",
  ".claude/settings.local.json",
  ".clinerules/hooks",
  ".codex",
  ".continue",
  ".crush.json",
  ".cursor/hooks.json",
  ".cursor/mcp.json",
  ".factory/settings.json",
  ".factory/mcp.json",
  ".gemini/settings.json",
  ".github/hooks",
  ".grok/settings.json",
  ".junie/mcp",
  ".kilocode/mcp.json",
  ".kiro/hooks",
  ".kiro/settings",
  ".opencode",
  ".pi/extensions",
  ".pi/settings.json",
  ".qoder/settings.json",
  ".qoder/settings.local.json",
  ".qwen/settings.json",
  ".roo/mcp.json",
  ".rovodev",
  ".trae/mcp.json",
  ".vibe",
  ".windsurf/hooks.json",
  "codebuff.json",
  "crush.json",
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
  ".externalToolBuilders",
  ".helix",
  ".Rprofile",
  ".theia/settings.json",
  ".theia/tasks.json",
  ".vim/coc-settings.json",
];

/** Such a file may have any name: those that are there when the policy is made. */
const editorWorkspaces: readonly string[] = [".code-workspace", ".sublime-project"];

/** Shells obey these when they enter the folder, once the folder is trusted: a change is not asked about again. */
const shellSettings: readonly string[] = [
  ".config/mise",
  ".config/mise.toml",
  ".envrc.local",
  ".mise",
  ".mise.local.toml",
  ".mise.toml",
  "mise.local.toml",
  "mise.toml",
  "mise/config.toml",
];

const obeyedAnywhere: readonly (readonly string[])[] = [
  ".git",
  ...repositorySettings,
  ...agentSettings,
  ...editorSettings,
  ...shellSettings,
].map((path) => fold(path).split("/"));

/** True for every file of these lists, and what is in their folders, wherever a project lies. For an agent that asks before it writes one. */
export function isObeyed(path: string): boolean {
  const names = fold(path).split("/");
  return (
    editorWorkspaces.some((ending) => names.at(-1)?.endsWith(ending)) ||
    names.some((_, at) => obeyedAnywhere.some((parts) => parts.every((part, index) => part === names[at + index])))
  );
}

/** `folder` is a work tree, or the folder of a repository itself. */
export function gitGuardRules(folder: string): Rule[] {
  const repository = basename(folder) === ".git" ? folder : join(folder, ".git");
  return gitGuards.map(([path, guard]) => gitRule(join(repository, path), guard));
}

export function guardRules(workspace: string): Rule[] {
  return [
    ...gitGuardRules(workspace),
    ...repositorySettings.map((path): Rule => guardRule(join(workspace, path), "project-settings", "absent")),
    ...agentSettings.map((path): Rule => guardRule(join(workspace, path), "project-settings")),
    ...[...editorSettings, ...listEditorWorkspaces(workspace).filter(isUtf8).map(String)].map(
      (path): Rule => guardRule(join(workspace, path), "editor-settings"),
    ),
    ...shellSettings.map((path): Rule => guardRule(join(workspace, path), "shell-start-up")),
  ];
}

function gitRule(path: string, guard: Guard): Rule {
  return { path, access: "read", name: "git-internals", guard };
}

function guardRule(path: string, name: Rule["name"], guard: Guard = "existing"): Rule {
  return { path, access: "read", name, guard };
}

/** Names are bytes: an editor opens a file whose name is not text too. */
export function listEditorWorkspaces(folder: string): readonly Buffer[] {
  try {
    return readdirSync(folder, { encoding: "buffer" }).filter((name) =>
      editorWorkspaces.some((ending) => name.toString("latin1").endsWith(ending)),
    );
  } catch {
    return []; // it is missing, or not ours to look into
  }
}

/** More of them than this are not looked for: each costs every command. */
const maxInnerRepositories = 200;
const maxDepth = 6;

/** Lists other paths that git obeys at present: submodules, linked work trees, included settings, and the workspace itself. */
export function moreGitRules(gitFolder: string, workspace: string): Rule[] {
  const modules = findRepositories(join(gitFolder, "modules"), maxDepth).slice(0, maxInnerRepositories);
  const trees = listFolders(join(gitFolder, "worktrees")).slice(0, maxInnerRepositories);
  // Where .git is damaged, git takes a folder with HEAD, objects and refs for the repository, and obeys the `config` beside them.
  const head = join(workspace, "HEAD");
  const gitSettings = join(gitFolder, "config");
  const settingsFiles = withIncluded(gitSettings, maxIncludes);
  return [
    ...modules.flatMap((folder) => gitGuards.map(([path, guard]) => gitRule(join(folder, path), guard))),
    ...trees.flatMap((folder) => linkedTreeFiles.map((path) => gitRule(join(folder, path), "existing"))),
    ...settingsFiles.filter((path) => path !== gitSettings).flatMap(includedRule),
    ...settingsFiles.flatMap((path) => hookFolders(path, workspace)).flatMap((path) => hookRules(path, gitFolder)),
    ...(exists(head) ? [] : [gitRule(head, "absent")]),
  ];
}

/** Settings that include others do so this often. */
const maxIncludes = 5;

/** The settings and the files that they include: `[include] path = ../.gitconfig`. Also those that are missing: git looks each time. */
function withIncluded(settings: string, depth: number): string[] {
  if (depth === 0) return [settings];
  const included = readSettingValues(settings, "path").filter((path) => !path.startsWith("~"));
  return [settings, ...included.flatMap((path) => withIncluded(resolve(dirname(settings), path), depth - 1))];
}

/** A command that makes what the settings include would make settings. */
function includedRule(path: string): Rule[] {
  if (exists(path)) return [gitRule(path, "existing")];
  return exists(dirname(path)) ? [gitRule(path, "absent")] : [];
}

/** Git runs `post-index-change` in there when it only looks. */
function hookFolders(settings: string, workspace: string): string[] {
  return readSettingValues(settings, "hookspath")
    .filter((path) => !path.startsWith("~"))
    .map((path) => firstMissing(resolve(workspace, path)));
}

/**
 * Husky writes the files in `_` whenever packages are installed, and git ignores them: an install must not fail because of that. Other hooks are
 * files of the project, where a change that does not stay would deceive.
 */
function hookRules(folder: string, gitFolder: string): Rule[] {
  if (basename(folder) === "_" && exists(folder)) return [gitRule(folder, "scratch")];
  const made = join(folder, "_");
  // Nothing is made in the repository's own folder.
  return [
    gitRule(folder, isInside(folder, gitFolder) ? "absent" : "folder"),
    ...(exists(made) ? [gitRule(made, "scratch")] : []),
  ];
}

/** The path, or the first folder on the way to it that is missing: what is made there is what counts. */
function firstMissing(path: string): string {
  const parent = dirname(path);
  return exists(parent) ? path : firstMissing(parent);
}

function readSettingValues(settings: string, name: string): string[] {
  return parseSettingValues(readSettings(settings), name);
}

function parseSettingValues(text: string, name: string): string[] {
  const lines = text.matchAll(new RegExp(`^(?:\\s*\\[[^\\]]*\\])?\\s*${name}\\s*=\\s*"?([^"\\n#;]+)`, "gim"));
  return [...lines].map((match) => (match[1] ?? "").trim());
}

/** Git reads `config.worktree` only where its settings say so. */
export function readsWorktreeConfig(gitFolder: string): boolean {
  return /worktreeconfig/i.test(readSettings(join(gitFolder, "config")));
}

/** Empty for what is not a regular file, or is too big. */
function readSettings(settings: string): string {
  try {
    return readPlainText(settings, maxSettingsBytes);
  } catch {
    return "";
  }
}

const maxSettingsBytes = 1024 * 1024;

function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** A submodule's name may have slashes, so its repository may lie deeper. */
function findRepositories(folder: string, depth: number): string[] {
  if (depth === 0) return [];
  return listFolders(folder).flatMap((inner) =>
    statSync(join(inner, "HEAD"), { throwIfNoEntry: false }) === undefined
      ? findRepositories(inner, depth - 1)
      : [inner, ...findRepositories(join(inner, "modules"), depth - 1)],
  );
}

function listFolders(folder: string): string[] {
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
  return (
    obeyedFolders.some((folder) => inside.includes(folder)) ||
    obeyedTopFolders.includes(inside[0] ?? "") ||
    last === ".git" ||
    gitFiles.includes(last)
  );
}

const obeyedFolders: readonly string[] = ["hooks", "rebase-merge", "rebase-apply", "sequencer"];
/** Only directly in the folder of a repository: a branch may be called so as well. */
const obeyedTopFolders: readonly string[] = ["remotes", "branches"];
const gitFiles: readonly string[] = ["head", "config", "config.worktree", "commondir", "gitdir"];
