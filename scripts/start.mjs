// `npm start`: set-up, then the host in the foreground. Arguments after `--` pass through.
import { spawn } from "node:child_process";
import { program } from "./setup/paths.mjs";
import { orExplain, setUp } from "./setup/set-up.mjs";

const { node } = await orExplain(() => setUp({ build: true }));
const host = spawn(node, [program, "serve", ...process.argv.slice(2)], { stdio: "inherit" });
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => host.kill(signal));
host.on("exit", (code, signal) => {
  process.exitCode = signal === null ? code : signal === "SIGINT" ? 130 : 143;
});
