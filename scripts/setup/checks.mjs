// The checks that need no test runner: format, lint, types. Each is one command that is silent when all is well.

import { withNode } from "./node-24.mjs";
import { root } from "./paths.mjs";
import { capture } from "./step.mjs";

const bin = (name) => `${root}/node_modules/.bin/${name}`;

export function checks({ fix }) {
  return [
    { name: "format", command: bin("biome"), args: ["check", "--error-on-warnings", ...(fix ? ["--write"] : []), "."] },
    { name: "lint", command: bin("oxlint"), args: ["--deny-warnings", ...(fix ? ["--fix"] : [])] },
    { name: "types", command: bin("tsc"), args: ["-p", "tsconfig.json"] },
    { name: "types of the protocol (no Node, no DOM)", command: bin("tsc"), args: ["-p", "packages/protocol"] },
    { name: "types of the rules (no Node, no DOM)", command: bin("tsc"), args: ["-p", "packages/rules"] },
    { name: "types of the React package (no Node)", command: bin("tsc"), args: ["-p", "packages/react"] },
    { name: "types of the assistant-ui package (no Node)", command: bin("tsc"), args: ["-p", "packages/assistant-ui"] },
    { name: "types of the example pages", command: bin("tsc"), args: ["-p", "examples/react"] },
    { name: "types of the page", command: bin("tsc"), args: ["-p", "packages/ui"] },
  ];
}

/** Runs all of them, one line each; returns how many failed. */
export async function runChecks(node, options) {
  let failed = 0;
  for (const check of checks(options)) {
    const start = performance.now();
    const { code, output } = await capture(check.command, check.args, { cwd: root, env: withNode(node) });
    const seconds = ((performance.now() - start) / 1000).toFixed(1);
    console.log(`${code === 0 ? "ok  " : "FAIL"} ${check.name} (${seconds} s)`);
    if (code !== 0) {
      failed++;
      console.log(output.trimEnd());
    }
  }
  return failed;
}
