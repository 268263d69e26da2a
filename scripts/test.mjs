// `npm test`: everything. Set-up, format, lint, types, architecture, unit, integration, and the page in a real Chromium.
// Words after `--` go to vitest: `npm test -- register` runs the test files whose path holds "register".
import { runChecks } from "./setup/checks.mjs";
import { ensureChromium, ensureHeadlessShell } from "./setup/chromium.mjs";
import { orExplain, setUp } from "./setup/set-up.mjs";
import { runVitest } from "./setup/vitest.mjs";

const { node } = await orExplain(() => setUp({ build: true }));
const chromium = await orExplain(ensureChromium);
const shell = await ensureHeadlessShell(chromium);
const [tests, checks] = await Promise.all([
  runVitest(node, process.argv.slice(2), { CHROMIUM_PATH: chromium, CHROMIUM_SHELL_PATH: shell }),
  // Tests with processes wait a sixth of the time: that is enough for the checks. They have no time limits that could pass.
  runChecks(node, { isBehind: true }),
]);
process.stdout.write(checks.output);
console.log(`${checks.passed + tests.passed} passed, ${checks.failed + tests.failed} failed`);
process.exitCode = checks.failed + tests.failed > 0 ? 1 : 0;
