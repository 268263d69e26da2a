// Set-up: from a fresh clone to something that runs. Each step does nothing when its work is done already.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { ensureBuild } from "./build.mjs";
import { ensureDependencies } from "./dependencies.mjs";
import { ensureHelper } from "./native.mjs";
import { ensureNode } from "./node-24.mjs";
import { inToolchain } from "./paths.mjs";
import { printProgress, SetUpError } from "./step.mjs";

/** Returns the Node to run things with. `build: false` leaves out the bundle and the page. */
export async function setUp({ build }) {
  return await alone(async () => {
    const node = await ensureNode();
    await ensureDependencies(node);
    await ensureHelper();
    if (build) await ensureBuild(node);
    return { node };
  });
}

/** For scripts: an expected failure is one sentence, not a stack. */
export async function orExplain(work) {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof SetUpError)) throw error;
    printProgress(error.message);
    process.exit(1);
  }
}

/** Two set-ups in one checkout would trample on each other's node_modules: the second waits for the first. */
async function alone(work) {
  const lock = inToolchain("set-up.lock");
  const holderFile = `${lock}/pid`;
  let told = false;
  for (;;) {
    try {
      mkdirSync(lock);
      break;
    } catch (error) {
      if (error.code !== "EEXIST") throw error;
    }
    const holder = existsSync(holderFile) ? Number(readFileSync(holderFile, "utf8")) : undefined;
    if (holder !== undefined && !isAlive(holder)) {
      rmSync(lock, { recursive: true, force: true });
      continue;
    }
    if (!told)
      printProgress(
        `Another set-up of this checkout is running${holder === undefined ? "" : ` (process ${holder})`}; waiting for it …`,
      );
    told = true;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  writeFileSync(holderFile, String(process.pid));
  try {
    return await work();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}
