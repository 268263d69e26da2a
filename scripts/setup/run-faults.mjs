// Runs test/faults where it may mount a disk of its own: the mount is seen by this command alone and ends with it.
import { spawn, spawnSync } from "node:child_process";
import { withNode } from "./node-24.mjs";
import { root } from "./paths.mjs";

/** Gives the exit code: 0 when nothing was found. */
export async function runFaults(node, args) {
  const unshare = ["unshare", "--mount", ...(process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"])];
  const mayMount = spawnSync(unshare[0], [...unshare.slice(1), "true"]).status === 0;
  const command = [node, "--no-warnings", "test/faults/run-faults.ts", ...args];
  const [program, ...words] = mayMount ? [...unshare, ...command] : command;
  const child = spawn(program, words, { cwd: root, env: withNode(node), stdio: "inherit" });
  return await new Promise((resolve) => child.on("close", resolve));
}
