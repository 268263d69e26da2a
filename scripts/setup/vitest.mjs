// Runs vitest under the product's Node and counts what passed and failed.
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { withNode } from "./node-24.mjs";
import { inToolchain, root } from "./paths.mjs";

/** A run that ends without a report, or outside of any test, counts as one failure. */
export async function runVitest(node, args, environment = {}) {
  const folder = mkdtempSync(join(tmpdir(), "signalbox-test-"));
  chmodSync(folder, 0o711); // some tests run programs as another user: PostgreSQL, commands of a normal user
  const report = join(folder, "report.json");
  // What processes that tests kill leave behind goes with it.
  const temporary = join(folder, "tmp");
  mkdirSync(temporary);
  chmodSync(temporary, 0o711);
  try {
    const command = [
      "node_modules/vitest/vitest.mjs",
      "run",
      "--reporter=default",
      "--reporter=json",
      `--outputFile=${report}`,
    ];
    // Tests start hundreds of Node processes from TypeScript: what one of them compiled, the others need not.
    const compiled = { NODE_COMPILE_CACHE: inToolchain("compiled") };
    const env = { ...withNode(node), ...compiled, TMPDIR: temporary, ...environment };
    const [program, ...words] = inMemory(temporary, [node, ...command, ...args]);
    const child = spawn(program, words, { cwd: root, env, stdio: ["ignore", "inherit", "inherit"] });
    const code = await new Promise((resolve) => child.on("close", resolve));
    const { passed, failed, secondTries } = read(report);
    if (secondTries.length > 0)
      console.log(`Passed only at the second try, so they are not reliable:\n${secondTries.join("\n")}`);
    return { passed, failed: failed === 0 && code !== 0 ? 1 : failed };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

const neededMemory = 12 * 1024 ** 3;

/**
 * The command with its temporary folder in memory where that is possible: as root on Linux, with enough memory. Otherwise thousands of small files,
 * and SQLite at each commit, wait for a disk. The mount is seen by this command alone and ends with it.
 */
function inMemory(folder, command) {
  if (process.platform !== "linux" || process.getuid?.() !== 0 || totalmem() < neededMemory) return command;
  const mount = ["--mount", "sh", "-c", 'mount -t tmpfs -o mode=711 signalbox-tests "$0" && exec "$@"', folder];
  return spawnSync("unshare", [...mount, "true"]).status === 0 ? ["unshare", ...mount, ...command] : command;
}

function read(report) {
  try {
    const { numPassedTests, numFailedTests, numPendingTests, numTodoTests, testResults } = JSON.parse(
      readFileSync(report, "utf8"),
    );
    const secondTries = testResults
      .flatMap(({ assertionResults }) => assertionResults)
      .filter(({ status, failureMessages }) => status === "passed" && failureMessages.length > 0)
      .map(({ fullName, failureMessages }) => `  ${fullName}: ${failureMessages[0].split("\n")[0]}`);
    // A test that does not run proves nothing: it counts as failed.
    return { passed: numPassedTests, failed: numFailedTests + numPendingTests + numTodoTests, secondTries };
  } catch {
    return { passed: 0, failed: 1, secondTries: [] };
  }
}
