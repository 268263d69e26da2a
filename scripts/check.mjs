// `npm run check`: format, lint, types and architecture, in seconds. `npm run fix` mends what can be mended by itself.
import { runChecks } from "./setup/checks.mjs";
import { orExplain, setUp } from "./setup/set-up.mjs";
import { runVitest } from "./setup/vitest.mjs";

const { node } = await orExplain(() => setUp({ build: false }));
const { failed } = await runChecks(node, { fix: process.argv.includes("--fix") });
const architecture = await runVitest(node, ["--project", "unit", "test/architecture"]);
process.exitCode = failed + architecture.failed > 0 ? 1 : 0;
