// The checks that need no test runner: format, lint, types. Each is one command that is silent when all is well.

import { availableParallelism } from "node:os";
import { withNode } from "./node-24.mjs";
import { root } from "./paths.mjs";
import { capture } from "./step.mjs";

const bin = (name) => `${root}/node_modules/.bin/${name}`;

/** Lint takes as long as all the others. */
const atATime = 2;

/**
 * Each of several checkers reads the types of the libraries again, and the garbage of a process that ends in seconds need not be collected:
 * together that is a third of the processor time.
 */
const threads = Math.min(4, Math.max(1, Math.floor(availableParallelism() / atATime)));
const goRuntime = { GOMAXPROCS: String(threads), GOGC: "off", GOMEMLIMIT: "2GiB" };

const types = (project) => ["-p", project, "--checkers", String(threads)];

export function checks({ fix }) {
  return [
    { name: "lint", command: bin("oxlint"), args: ["--deny-warnings", ...(fix ? ["--fix"] : [])] },
    { name: "format", command: bin("biome"), args: ["check", "--error-on-warnings", ...(fix ? ["--write"] : []), "."] },
    { name: "types", command: bin("tsc"), args: types("tsconfig.json") },
    { name: "types of the protocol (no Node, no DOM)", command: bin("tsc"), args: types("packages/protocol") },
    { name: "types of the rules (no Node, no DOM)", command: bin("tsc"), args: types("packages/rules") },
    { name: "types of the React package (no Node)", command: bin("tsc"), args: types("packages/react") },
    { name: "types of the assistant-ui package (no Node)", command: bin("tsc"), args: types("packages/assistant-ui") },
    { name: "types of the example pages", command: bin("tsc"), args: types("examples/react") },
    { name: "types of the page", command: bin("tsc"), args: types("packages/ui") },
  ];
}

/** Runs all of them, one line each; returns how many failed. */
export async function runChecks(node, options) {
  const env = { ...withNode(node), ...goRuntime };
  const waiting = checks(options);
  let failed = 0;
  const worker = async () => {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
      const start = performance.now();
      const { code, output } = await capture(check.command, check.args, { cwd: root, env });
      const seconds = ((performance.now() - start) / 1000).toFixed(1);
      console.log(`${code === 0 ? "ok  " : "FAIL"} ${check.name} (${seconds} s)`);
      if (code === 0) continue;
      failed++;
      console.log(output.trimEnd());
    }
  };
  // Two that write files must not do it at the same time.
  await Promise.all(Array.from({ length: options.fix ? 1 : atATime }, worker));
  return failed;
}
