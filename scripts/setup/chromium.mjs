// A Chromium for the page's tests: the one named, the usual names and places, or the system's package where we may install it.
import { execFileSync } from "node:child_process";
import { accessSync, constants, existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { capture, printProgress, run, SetUpError } from "./step.mjs";

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome", "microsoft-edge"];
const shells = ["chromium-headless-shell", "chrome-headless-shell"];
const places = [
  "/Applications/Chromium.app/Contents/MacOS/Chromium",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
  "/snap/bin/chromium",
  "/opt/google/chrome/chrome",
];

const install = ["install", "-y", "-qq", "--no-install-recommends"];
const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };

export async function ensureChromium() {
  const named = process.env.CHROMIUM_PATH;
  if (named !== undefined && named !== "") {
    if (isProgram(named)) return named;
    throw new SetUpError(`CHROMIUM_PATH names ${named}, which is not a program that can be run.`);
  }
  const found = findChromium();
  if (found !== undefined) return found;
  if (mayInstall()) {
    printProgress("The page's tests need Chromium: installing the system's package …");
    await run("refreshed the package lists", "apt-get", ["update", "-qq"], { env });
    await run("installed Chromium", "apt-get", [...install, "chromium"], { env });
    const installed = findChromium();
    if (installed !== undefined) return installed;
  }
  throw new SetUpError(
    "The page's tests need Chromium and none was found. Install it (Debian and Ubuntu: `sudo apt-get install chromium`; macOS: `brew install --cask chromium`) or set CHROMIUM_PATH to a Chromium or Chrome, then run the tests again.",
  );
}

/**
 * Chromium without its window, which shows the same page for a fifth less processor time; `chromium` itself where there is none. It cannot show
 * notifications.
 */
export async function ensureHeadlessShell(chromium) {
  if ((process.env.CHROMIUM_PATH ?? "") !== "") return chromium;
  const found = onPath(shells).find(isProgram);
  if (found !== undefined || !mayInstall()) return found ?? chromium;
  // Only the version of the Chromium that is there: nothing that is installed changes.
  const { code, output: version } = await capture("dpkg-query", ["-W", "-f", "${Version}", "chromium-common"]);
  if (code !== 0) return chromium;
  printProgress("The page's tests are faster in a Chromium without a window: installing the system's package …");
  await capture("apt-get", [...install, `chromium-headless-shell=${version}`], { env });
  return onPath(shells).find(isProgram) ?? chromium;
}

function findChromium() {
  return [...onPath(names), ...places].find(isProgram);
}

function onPath(programs) {
  const folders = (process.env.PATH ?? "").split(delimiter);
  return folders.flatMap((folder) => programs.map((name) => join(folder, name)));
}

function isProgram(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function mayInstall() {
  if (process.getuid?.() !== 0 || !existsSync("/etc/debian_version")) return false;
  try {
    execFileSync("apt-get", ["--version"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
}
