// @signalbox/sandbox: what a command or a write may touch, enforced by the operating system.

export { canMountOverlay } from "./enforcement/can-mount-overlay.ts";
export {
  type AgentEnforcement,
  canSandboxAgents,
  describeEnforcement,
  type Enforcement,
  goesByName,
  isWhole,
} from "./enforcement/enforcement.ts";
export { type EnforcementChoice, proveEnforcement } from "./enforcement/prove-enforcement.ts";
export { type CacheUse, cacheVariables } from "./environment/cache-variables.ts";
export {
  commandEnvironment,
  type EnvironmentSources,
  withoutSocketVariables,
} from "./environment/command-environment.ts";
export { type Entry, FolderEntries, type PinnedEntries } from "./files/folder-entries.ts";
export { repositoryOfWorktree } from "./files/linked-worktree.ts";
export { reserveDatabases } from "./files/open-file.ts";
export { openForRead, openWithPath, readSmallFile } from "./files/open-verified.ts";
export { type FolderEntry, listFolderChecked, readFileChecked } from "./files/read-file-checked.ts";
export { copyPlainFile, readPlainFile, readPlainText } from "./files/read-plain-file.ts";
export { SandboxError, type SandboxErrorCode } from "./files/sandbox-error.ts";
export { writeFileAtomic } from "./files/write-file-atomic.ts";
export { executableFile, findExecutable, pathFolders, usualFolders } from "./find-executable.ts";
export { restoreGitSettings } from "./git-settings/restore-plain-settings.ts";
export { findHelper, probeHelper } from "./launch/find-helper.ts";
export type { ListeningPort } from "./loopback/listening-ports.ts";
export { loopbackPrefix, SessionLoopback } from "./loopback/session-loopback.ts";
export { type AsideRecord, AsideStore, asideFolder, type KeepResult } from "./made-settings/aside-store.ts";
export { describePutAside, type PutAside, settleLeftovers, settleMadeSettings } from "./made-settings/made-settings.ts";
export { trustFolder } from "./network/trust-files.ts";
export { canRead, canWrite } from "./policy/can-access.ts";
export { type ClosedPath, findClosedPaths, withClosedPaths } from "./policy/close-paths.ts";
export { type AgentPlaces, createPolicy, type PolicySettings } from "./policy/create-policy.ts";
export type { Operation } from "./policy/decide.ts";
export { openedPageFolder } from "./policy/home-folder.ts";
export { type SandboxRights, withMoreRights } from "./policy/more-rights.ts";
export { isObeyed } from "./policy/obeyed-files.ts";
export type {
  Access,
  AccessMode,
  Decision,
  NetworkAccess,
  NetworkByName,
  Policy,
  Rule,
  RuleName,
  StandIn,
} from "./policy/policy.ts";
export { isInside } from "./policy/policy.ts";
export { nameInFolder, realPathsNow, resolveInFolder } from "./policy/real-path.ts";
export type { CapturedOutput } from "./run-command/captured-output.ts";
export {
  type CommandResult,
  describeEnding,
  type Ending,
  type LimitName,
  type Ran,
  type RefusedCommand,
} from "./run-command/command-result.ts";
export { type Denial, describeDenial, findDenials, mayHideFailure, type RefusedHost } from "./run-command/denials.ts";
export { defaultLimits, type Limits } from "./run-command/limits.ts";
export { findRefusal } from "./run-command/prepare-launch.ts";
export { type CommandOptions, runCommand } from "./run-command/run-command.ts";
export { type Program, type ProgramOptions, startProgram } from "./run-command/start-program.ts";
export { processesWithMark } from "./supervise/process-mark.ts";
export { type SandboxedProgram, spawnSandboxed } from "./supervise/spawn-sandboxed.ts";
export {
  killGroup,
  type SupervisedProcess,
  type SupervisedProgram,
  spawnSupervised,
} from "./supervise/spawn-supervised.ts";
export { spawnWithPipes } from "./supervise/spawn-with-pipes.ts";
export { FolderWatch } from "./watch/folder-watch.ts";
