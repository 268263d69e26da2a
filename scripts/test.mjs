// `npm test`: everything. Set-up, format, lint, types, architecture, unit, integration, and the page in a real Chromium.
// Words after `--` go to vitest: `npm test -- register` runs the test files whose path holds "register".
import { runChecks } from "./setup/checks.mjs";
import { ensureChromium, ensureHeadlessShell } from "./setup/chromium.mjs";
import { orExplain, setUp } from "./setup/set-up.mjs";
import { runVitest } from "./setup/vitest.mjs";

const { node } = await orExplain(() => setUp({ build: true }));
const chromium = await orExplain(ensureChromium);
const shell = await ensureHeadlessShell(chromium);
const browsers = { CHROMIUM_PATH: chromium, CHROMIUM_SHELL_PATH: shell };

const words = process.argv.slice(2);
const results = words.length === 0 ? await runAll() : await runSome();
const sum = (name) => results.reduce((total, result) => total + result[name], 0);
console.log(`${sum("passed")} passed, ${sum("failed")} failed`);
process.exitCode = sum("failed") > 0 ? 1 : 0;

async function runSome() {
  return [await runChecks(node), await runVitest(node, words, browsers)];
}

/**
 * Tests with processes and pages wait a sixth of the time. Checks and unit tests run behind them and use it: all together takes as long as the
 * processors need. Why one of those failed comes at the end.
 */
async function runAll() {
  const behind = async () => {
    const checks = await runChecks(node, { isBehind: true });
    return [checks, await runVitest(node, ["--project=unit"], browsers, { isBehind: true })];
  };
  const [front, [checks, unit]] = await Promise.all([runVitest(node, ["--project=!unit"], browsers), behind()]);
  process.stdout.write(unit.output + checks.output);
  return [front, checks, unit];
}
