// `npm start`: set-up, then the host in the foreground. Arguments after `--` pass through.
import { spawn } from "node:child_process";
import { nodeFlags, program } from "./setup/paths.mjs";
import { orExplain, setUp } from "./setup/set-up.mjs";

const parent = process.ppid;
const { node } = await orExplain(() => setUp({ build: true }));
// The host stops when its stdin ends: at the latest when this process is gone, however it went.
const env = { ...process.env, SIGNALBOX_STOP_WITH_STDIN: "1" };
const args = [...nodeFlags, program, "serve", ...process.argv.slice(2)];
const host = spawn(node, args, { stdio: ["pipe", "inherit", "inherit"], env });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => host.kill(signal));
// A signal that stopped npm was meant for us. (package.json says `exec`, so that npm itself is the parent and not a shell between.)
setInterval(() => process.ppid === parent || host.kill("SIGTERM"), 250).unref();
host.on("exit", (code, signal) => {
  process.exitCode = signal === null ? code : signal === "SIGINT" ? 130 : 143;
});
