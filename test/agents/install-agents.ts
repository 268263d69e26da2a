// Installs the real agents that are tried end to end: from npm, once, into the checkout's .toolchain/agents, never into
// the workspace's own node_modules.
import { execFile } from "node:child_process";
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";

const agentsFolder = join(import.meta.dirname, "../../.toolchain/agents");

export interface RealAgent {
  readonly npmPackage: string;
  readonly version: string;
  readonly program: string;
  /** Another package, with its version, that it needs. */
  readonly beside?: string;
  /** A script of the package without which it does not start, for Node. */
  readonly afterInstall?: readonly string[];
}

export const goose: RealAgent = { npmPackage: "@aaif/goose", version: "0.20.1", program: "goose" };
export const codex: RealAgent = { npmPackage: "@zed-industries/codex-acp", version: "0.16.0", program: "codex-acp" };

function folderOf({ npmPackage, version }: RealAgent): string {
  return join(agentsFolder, `${npmPackage.replaceAll(/[^\w.-]+/g, "-").replace(/^-/, "")}-${version}`);
}

/** The folder to put on the PATH; undefined while the agent is not installed. */
export function installedPrograms(agent: RealAgent): string | undefined {
  const programs = join(folderOf(agent), "node_modules/.bin");
  return existsSync(join(programs, agent.program)) ? programs : undefined;
}

/** Gives the folder to put on the PATH. Throws what npm said when the agent cannot be installed. */
export async function installAgent(agent: RealAgent): Promise<string> {
  const installed = installedPrograms(agent);
  if (installed !== undefined) return installed;
  const { npmPackage, version, beside, afterInstall } = agent;
  const folder = folderOf(agent);
  // All or nothing: an interrupted install must not look complete.
  const unfinished = `${folder}.${process.pid}`;
  rmSync(unfinished, { recursive: true, force: true });
  mkdirSync(unfinished, { recursive: true });
  writeFileSync(join(unfinished, "package.json"), JSON.stringify({ private: true }));
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--no-package-lock"];
  const path = `${dirname(process.execPath)}:${process.env.PATH ?? ""}`;
  const options = { cwd: unfinished, env: { ...process.env, PATH: path }, timeout: 300_000 };
  const packages = [`${npmPackage}@${version}`, ...(beside === undefined ? [] : [beside])];
  await promisify(execFile)("npm", ["install", ...flags, ...packages], options);
  if (afterInstall !== undefined) await promisify(execFile)(process.execPath, afterInstall, options);
  rmSync(folder, { recursive: true, force: true });
  renameSync(unfinished, folder);
  return join(folder, "node_modules/.bin");
}
