// For tests: runs commands in a process that has no descriptor left, then in the same one when it has some again, and prints how they ended.
// Its limit of descriptors is to be low. usage: run-without-descriptors.ts ENFORCEMENT-AND-POLICY-AS-JSON FOLDER
import { closeSync, openSync } from "node:fs";
import { mock } from "node:test";
import type { Enforcement } from "../enforcement/enforcement.ts";
import type { Policy } from "../policy/policy.ts";
import { type CommandOptions, runCommand } from "../run-command/run-command.ts";

const [given = "", cwd = ""] = process.argv.slice(2);
const { enforcement, policy } = JSON.parse(given) as { enforcement: Enforcement; policy: Policy };
const run = async (more: Partial<CommandOptions> = {}) => {
  const result = await runCommand({ enforcement, policy, command: "exit 3", cwd, ...more });
  return "message" in result ? result.message : result.ended;
};

const first = await run();
const begun = Promise.withResolvers<void>();
const long = run({ command: "echo begun; sleep 1", onOutput: () => begun.resolve() });
await begun.promise;
const held: number[] = [];
/** Of a command that cannot connect. A process that waited for the next one has its lines already, so the first may run. */
const withoutDescriptors = async (more: () => Partial<CommandOptions>): Promise<string> => {
  for (;;) {
    try {
      for (;;) held.push(openSync("/dev/null", "r"));
    } catch {
      // Not one more.
    }
    const ended = await run(more());
    if (ended !== "exit") return ended;
  }
};
const timeUp = await withoutDescriptors(() => ({ timeout: 100 }));
const cancelled = await withoutDescriptors(() => ({ signal: AbortSignal.timeout(100) }));
mock.timers.enable({ apis: ["setTimeout"] });
const patient = run();
mock.timers.tick(10_000);
const givenUp = await patient;
mock.timers.reset();
for (const descriptor of held) closeSync(descriptor);
console.log(JSON.stringify([first, timeUp, cancelled, givenUp, await long, await run()]));
