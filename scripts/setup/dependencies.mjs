// The packages of package-lock.json, installed when the lock file changed since the last time.
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { npmUnder } from "./node-24.mjs";
import { root } from "./paths.mjs";
import { printProgress, run } from "./step.mjs";

export async function ensureDependencies(node) {
  const wanted = createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");
  // The stamp lies in node_modules: deleting that folder deletes the stamp with it.
  const stamp = join(root, "node_modules", ".signalbox-installed");
  if (existsSync(stamp) && readFileSync(stamp, "utf8") === wanted) return;
  printProgress("Installing the dependencies …");
  const npm = npmUnder(node);
  await run("installed the dependencies", npm.command, [...npm.args, "ci"], { cwd: root, env: npm.env });
  writeFileSync(stamp, wanted);
}
