// The checks that need no test runner: format, lint, types. Each is one command that is silent when all is well.

import { availableParallelism } from "node:os";
import { withNode } from "./node-24.mjs";
import { root } from "./paths.mjs";
import { capture, lowPriority } from "./step.mjs";

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

function checks({ fix }) {
  return [
    { name: "lint", command: bin("oxlint"), args: ["--deny-warnings", ...(fix ? ["--fix"] : [])] },
    { name: "format", command: bin("biome"), args: ["check", "--error-on-warnings", ...(fix ? ["--write"] : []), "."] },
    { name: "types", command: bin("tsc"), args: types("tsconfig.json") },
    { name: "types of the protocol (no Node, no DOM)", command: bin("tsc"), args: types("packages/protocol") },
    { name: "types of the base package (no Node, no DOM)", command: bin("tsc"), args: types("packages/base") },
    { name: "types of the rules (no Node, no DOM)", command: bin("tsc"), args: types("packages/rules") },
    { name: "types of the client (no Node)", command: bin("tsc"), args: types("packages/client") },
    { name: "types of the React package (no Node)", command: bin("tsc"), args: types("packages/react") },
    { name: "types of the example pages", command: bin("tsc"), args: types("examples/react") },
    { name: "types of the page", command: bin("tsc"), args: types("packages/ui") },
  ];
}

/**
 * Runs all of them, a line each; why some failed comes after all of them. `isBehind`: they use only processor time that nothing else needs, and why
 * some failed is in `output`.
 */
export async function runChecks(node, { fix = false, isBehind = false } = {}) {
  const env = { ...withNode(node), ...goRuntime };
  const waiting = checks({ fix });
  const reasons = [];
  let passed = 0;
  const worker = async () => {
    for (let check = waiting.shift(); check !== undefined; check = waiting.shift()) {
      const start = performance.now();
      const [program, ...args] = [...(isBehind ? lowPriority : []), check.command, ...check.args];
      const { code, output } = await capture(program, args, { cwd: root, env });
      const seconds = ((performance.now() - start) / 1000).toFixed(1);
      console.log(`${code === 0 ? "ok  " : "FAIL"} ${check.name} (${seconds} s)`);
      if (code === 0) passed++;
      else reasons.push(`FAIL ${check.name}\n${output.trimEnd()}\n`);
    }
  };
  // Two that write files must not do it at the same time.
  await Promise.all(Array.from({ length: fix ? 1 : atATime }, worker));
  const output = reasons.join("");
  if (!isBehind) process.stdout.write(output);
  return { passed, failed: reasons.length, output };
}
