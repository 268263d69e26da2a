// `npm run check`: format, lint, types and architecture, in seconds. `npm run fix` corrects what can be corrected automatically, and writes generated files.
import { runChecks } from "./setup/checks.mjs";
import { orExplain, setUp } from "./setup/set-up.mjs";
import { runVitest } from "./setup/vitest.mjs";

const { node } = await orExplain(() => setUp({ build: false }));
const isFix = process.argv.includes("--fix");
// Some files are generated from the source: their tests write them.
if (isFix) await runVitest(node, ["--project", "unit", "--update=all", "generated-files"]);
const { failed } = await runChecks(node, { fix: isFix });
const architecture = await runVitest(node, ["--project", "unit", "test/architecture"]);
process.exitCode = failed + architecture.failed > 0 ? 1 : 0;
