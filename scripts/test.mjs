// `npm test`: everything. Set-up, format, lint, types, architecture, unit, integration, and the page in a real Chromium.
// Words after `--` go to vitest: `npm test -- register` runs the test files whose path holds "register".
import { checks, runChecks } from "./setup/checks.mjs";
import { ensureChromium, ensureHeadlessShell } from "./setup/chromium.mjs";
import { orExplain, setUp } from "./setup/set-up.mjs";
import { runVitest } from "./setup/vitest.mjs";

const { node } = await orExplain(() => setUp({ build: true }));
const chromium = await orExplain(ensureChromium);
const shell = await ensureHeadlessShell(chromium);
const failedChecks = await runChecks(node, { fix: false });
const passedChecks = checks({ fix: false }).length - failedChecks;
const tests = await runVitest(node, process.argv.slice(2), {
  CHROMIUM_PATH: chromium,
  CHROMIUM_SHELL_PATH: shell,
});
console.log(`${passedChecks + tests.passed} passed, ${failedChecks + tests.failed} failed`);
process.exitCode = failedChecks + tests.failed > 0 ? 1 : 0;
