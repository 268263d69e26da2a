// For tests: runs one command, prints the processes that are left then, and has nothing more to do.
// usage: run-once.ts ENFORCEMENT-AND-POLICY-AS-JSON FOLDER

import { descendants } from "../../../../test/support/processes.ts";
import type { Enforcement } from "../enforcement/enforcement.ts";
import type { Policy } from "../policy/policy.ts";
import { runCommand } from "../run-command/run-command.ts";

const [given = "", cwd = ""] = process.argv.slice(2);
const { enforcement, policy } = JSON.parse(given) as { enforcement: Enforcement; policy: Policy };
const result = await runCommand({ enforcement, policy, command: "true", cwd });
console.log(JSON.stringify({ ended: result.ended, left: descendants() }));
