// The battery in a process of its own, so that a test that runs as root can also be a normal user.
// usage: battery-process.ts ENFORCEMENT-AS-JSON ATTEMPT-PROGRAM
import type { Enforcement } from "../enforcement/enforcement.ts";
import { ATTEMPTS } from "./attempts.ts";
import { tryAll } from "./battery.ts";

const [enforcement = "", program = ""] = process.argv.slice(2);
const outcomes = await tryAll(JSON.parse(enforcement) as Enforcement, ATTEMPTS, program);
process.stdout.write(JSON.stringify(outcomes));
