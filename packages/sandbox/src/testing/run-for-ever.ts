// For tests: a host that runs a command with a daemon in it until it is killed.
// usage: run-for-ever.ts ENFORCEMENT-AND-POLICY-AS-JSON FOLDER MARK
import type { Enforcement } from "../enforcement/enforcement.ts";
import type { Policy } from "../policy/policy.ts";
import { runCommand } from "../run-command/run-command.ts";

const [given = "", cwd = "", mark = ""] = process.argv.slice(2);
const { enforcement, policy } = JSON.parse(given) as { enforcement: Enforcement; policy: Policy };
const command = `(setsid bash -c 'trap "" TERM; while :; do sleep 1; done # daemon ${mark}' &) ; sleep 1000; : ${mark}`;
await runCommand({ enforcement, policy, command, cwd });
