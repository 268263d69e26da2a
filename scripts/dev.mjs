// `npm run dev`: the host from source, started anew when its source changes, and the page from vite with hot reload.
import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { root } from "./setup/paths.mjs";
import { orExplain, setUp } from "./setup/set-up.mjs";

const { node } = await orExplain(() => setUp({ build: true }));
const data = join(root, ".toolchain/dev-data");
mkdirSync(data, { recursive: true });
const hostPort = "4281";
const pagePort = "4282";
// The page comes from vite, so the host must know that origin as its own.
const env = {
  ...process.env,
  SIGNALBOX_DEV_HOST: `http://127.0.0.1:${hostPort}`,
};
const host = spawn(
  node,
  [
    "--watch",
    "--no-warnings",
    "packages/cli/src/main.ts",
    "serve",
    "--port",
    hostPort,
    "--no-open",
    "--page-origin",
    `http://127.0.0.1:${pagePort}`,
    "--data-dir",
    data,
    ...process.argv.slice(2),
  ],
  { cwd: root, env, stdio: ["inherit", "pipe", "inherit"] },
);
host.stdout.on("data", (chunk) =>
  process.stdout.write(String(chunk).replace(`127.0.0.1:${hostPort}/#`, `127.0.0.1:${pagePort}/#`)),
);
const page = spawn(
  node,
  [
    "node_modules/vite/bin/vite.js",
    "packages/ui",
    "--port",
    pagePort,
    "--strictPort",
    "--host",
    "127.0.0.1",
    "--logLevel",
    "warn",
  ],
  { cwd: root, env, stdio: "inherit" },
);
const children = [host, page];
const stop = () => {
  for (const child of children) child.kill("SIGTERM");
};
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, stop);
for (const child of children) {
  child.on("exit", (code) => {
    process.exitCode ??= code ?? 0;
    stop();
  });
}
