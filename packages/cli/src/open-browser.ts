// Opens the page in the browser, if this is a desktop session. Every user of the machine can read the command lines of all programs, and sandboxed
// programs can read much of the home folder. So the browser is given a private file, in a folder that the sandbox hides, with an address that works
// once, for a minute.
import { spawn } from "node:child_process";
import { chmodSync, lstatSync, mkdirSync, readdirSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { openedPageFolder } from "@signalbox/sandbox";

const lifeMs = 60_000;
/** Neither hidden nor in the temp folder: a browser that is installed as a snap reads neither. The sandbox never shows it. */
const folderName = openedPageFolder;

export function openBrowser(createAddress: () => string): void {
  const { platform, env, stdout } = process;
  if (!stdout.isTTY || env.CI !== undefined || env.SSH_CONNECTION !== undefined) return;
  if (platform === "linux" && env.DISPLAY === undefined && env.WAYLAND_DISPLAY === undefined) return;
  openPrivately(createAddress(), platform === "darwin" ? "open" : "xdg-open");
}

export function openPrivately(address: string, opener: string): void {
  const folder = join(homedir(), folderName);
  const file = join(folder, `${process.pid}.html`);
  try {
    mkdirSync(folder, { mode: 0o700, recursive: true });
    // Recursive mkdir also accepts a link to a folder elsewhere.
    if (!lstatSync(folder).isDirectory()) return;
    chmodSync(folder, 0o700);
    rmSync(file, { force: true });
    writeFileSync(file, buildRedirectPage(address), { mode: 0o600, flag: "wx" });
  } catch {
    return; // The printed address is enough.
  }
  const remove = () => {
    rmSync(file, { force: true });
    removeIfEmpty(folder);
  };
  setTimeout(remove, lifeMs).unref();
  process.once("exit", remove);
  const child = spawn(opener, [file], { stdio: "ignore", detached: true });
  // Nothing to open it with: the printed address is enough.
  child.on("error", () => {});
  child.unref();
}

/** Removes the files of hosts that were killed, and the folders of earlier versions, whose files have the token. Never throws. */
export function removeLeftovers(): void {
  const home = homedir();
  try {
    for (const name of readdirSync(home)) {
      if (name === folderName) removeOldFiles(join(home, name));
      if (/^signalbox-open-\w{6}$/.test(name)) {
        rmSync(join(home, name, "open.html"), { force: true });
        removeIfEmpty(join(home, name));
      }
    }
  } catch {
    // A home folder that cannot be read has none of our files.
  }
}

/** Another host may just be opening its page. */
function removeOldFiles(folder: string): void {
  if (!lstatSync(folder).isDirectory()) return;
  for (const name of readdirSync(folder)) {
    const file = join(folder, name);
    if (/^\d+\.html$/.test(name) && Date.now() - statSync(file).mtimeMs > lifeMs) rmSync(file, { force: true });
  }
  removeIfEmpty(folder);
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // It has other files, or is gone.
  }
}

function buildRedirectPage(address: string): string {
  const literal = JSON.stringify(address).replaceAll("<", "\\u003c");
  return `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>Signalbox</title>
<script>location.replace(${literal})</script>\n`;
}
