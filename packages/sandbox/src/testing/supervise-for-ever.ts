// For tests: a host that supervises a program with a daemon until it is killed.
// usage: supervise-for-ever.ts HELPER MARK
import { once } from "node:events";
import { spawnSupervised } from "../supervise/spawn-supervised.ts";

const [helper = "", mark = ""] = process.argv.slice(2);
const script = `trap '' TERM; (setsid bash -c 'trap "" TERM HUP; sleep 1000; : daemon ${mark}' &) ; sleep 1000; : ${mark}`;
const { process: child } = spawnSupervised({
  command: "/bin/sh",
  args: ["-c", script],
  cwd: "/",
  env: { PATH: process.env.PATH ?? "" },
  helper,
});
await once(child, "exit");
