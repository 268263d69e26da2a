// `npm run screenshots`: starts the built product in a real Chromium and takes the pictures of docs/images.
import { spawn } from "node:child_process";
import { ensureChromium } from "./setup/chromium.mjs";
import { root } from "./setup/paths.mjs";
import { orExplain, setUp } from "./setup/set-up.mjs";

const { node } = await orExplain(() => setUp({ build: true }));
const env = { ...process.env, CHROMIUM_PATH: await orExplain(ensureChromium) };
const script = spawn(node, ["--no-warnings", "test/page/make-screenshots.ts"], { cwd: root, env, stdio: "inherit" });
script.on("exit", (code) => (process.exitCode = code ?? 1));
