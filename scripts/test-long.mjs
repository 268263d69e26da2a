// `npm run test:long`: the randomized tests with all their rounds, and all variants of others, as `npm test` runs only some of them; then
// three minutes of `npm run faults`. Takes minutes.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ensureChromium, ensureHeadlessShell } from "./setup/chromium.mjs";
import { root } from "./setup/paths.mjs";
import { runFaults } from "./setup/run-faults.mjs";
import { orExplain, setUp } from "./setup/set-up.mjs";
import { runVitest } from "./setup/vitest.mjs";

const { node } = await orExplain(() => setUp({ build: true }));
const chromium = await orExplain(ensureChromium);
const shell = await ensureHeadlessShell(chromium);
const files = ["packages", "test"]
  .flatMap((folder) => readdirSync(join(root, folder), { recursive: true }).map((name) => join(folder, name)))
  .filter((name) => name.endsWith(".test.ts") && !name.includes("node_modules"))
  .filter((name) => readFileSync(join(root, name), "utf8").includes("/support/rounds.ts"));
const { passed, failed } = await runVitest(node, files, {
  SIGNALBOX_LONG_TESTS: "1",
  CHROMIUM_PATH: chromium,
  CHROMIUM_SHELL_PATH: shell,
});
console.log(`${passed} passed, ${failed} failed`);
const faults = await runFaults(node, ["--seed", "1", "--minutes", "3"]);
process.exitCode = failed > 0 || faults !== 0 ? 1 : 0;
