// `npm run test:agents`: real agents from npm, installed beside the checkout's own packages, run end to end against a scripted model.
import { orExplain, setUp } from "./setup/set-up.mjs";
import { runVitest } from "./setup/vitest.mjs";

const { node } = await orExplain(() => setUp({ build: true }));
const { passed, failed } = await runVitest(node, [
  "--config",
  "test/agents/vitest.config.ts",
  ...process.argv.slice(2),
]);
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed > 0 ? 1 : 0;
