// Opens the page in the browser, if this is a desktop session. The address holds the token, and every user of the machine can read the
// command lines of all programs: so the browser is given a private file that leads to the address.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

const removeAfterMs = 20_000;

export function openBrowser(url: string): void {
  const { platform, env, stdout } = process;
  if (!stdout.isTTY || env.CI !== undefined || env.SSH_CONNECTION !== undefined) return;
  if (platform === "linux" && env.DISPLAY === undefined && env.WAYLAND_DISPLAY === undefined) return;
  openPrivately(url, platform === "darwin" ? "open" : "xdg-open");
}

export function openPrivately(url: string, opener: string): void {
  let folder: string;
  try {
    // Not hidden and not in the temp folder: a browser that is installed as a snap reads neither.
    folder = mkdtempSync(join(homedir(), "signalbox-open-"));
    writeFileSync(join(folder, "open.html"), buildRedirectPage(url), { mode: 0o600 });
  } catch {
    return; // The printed address is enough.
  }
  const remove = () => rmSync(folder, { recursive: true, force: true });
  setTimeout(remove, removeAfterMs).unref();
  process.once("exit", remove);
  const child = spawn(opener, [join(folder, "open.html")], { stdio: "ignore", detached: true });
  // Nothing to open it with: the printed address is enough.
  child.on("error", () => {});
  child.unref();
}

function buildRedirectPage(url: string): string {
  const address = JSON.stringify(url).replaceAll("<", "\\u003c");
  return `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>Signalbox</title>
<script>location.replace(${address})</script>\n`;
}
