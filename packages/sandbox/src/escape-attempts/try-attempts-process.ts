// Runs the attempts in a process of its own, so that a test that runs as root can also be a normal user.
// usage: try-attempts-process.ts ENFORCEMENT-AS-JSON ATTEMPT-PROGRAM ATTEMPT-NAME…
import type { Enforcement } from "../enforcement/enforcement.ts";
import { allAttempts } from "./attempts.ts";
import { tryAll } from "./try-attempts.ts";

const [enforcement = "", program = "", ...names] = process.argv.slice(2);
const attempts = allAttempts.filter(({ name }) => names.includes(name));
const outcomes = await tryAll(JSON.parse(enforcement) as Enforcement, attempts, program);
process.stdout.write(JSON.stringify(outcomes));
