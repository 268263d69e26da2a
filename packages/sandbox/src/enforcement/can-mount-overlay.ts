// Tries whether an overlay can be mounted whose upper layer lies in a folder. Some file systems cannot be one, such as the overlay that a container
// itself runs on.
import { existsSync } from "node:fs";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Policy } from "../policy/policy.ts";
import { runCommand } from "../run-command/run-command.ts";
import type { AgentEnforcement } from "./enforcement.ts";

const known = new Map<string, Promise<boolean>>();

/** Asked once for each folder, which is made where it is missing. */
export function canMountOverlay(enforcement: AgentEnforcement, folder: string): Promise<boolean> {
  const answer = known.get(folder) ?? tryOverlay(enforcement, folder);
  known.set(folder, answer);
  return answer;
}

async function tryOverlay(enforcement: AgentEnforcement, folder: string): Promise<boolean> {
  // The kernel reads these characters as separators.
  if (/[:,\\]/.test(folder)) return false;
  const trial = join(folder, `trial-${process.pid}`);
  const [lower = "", upper = "", work = ""] = ["lower", "upper", "work"].map((name) => join(trial, name));
  try {
    for (const each of [lower, upper, work]) await mkdir(each, { recursive: true, mode: 0o700 });
    const policy: Policy = {
      mode: "sandbox",
      network: "off",
      rules: [
        { path: "/", access: "read", name: "everything-else" },
        { path: lower, access: "write", name: "agent-state", standIn: { type: "overlay", lower, upper, work } },
      ],
      ignored: [],
    };
    await runCommand({ enforcement, policy, command: "echo x > written", cwd: lower, timeout: 10_000 });
    return existsSync(join(upper, "written")) && !existsSync(join(lower, "written"));
  } catch {
    return false;
  } finally {
    await rm(trial, { recursive: true, force: true }).catch(() => {}); // a file system that keeps it does no harm
  }
}
