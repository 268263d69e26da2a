// Opens an address in the browser, if this is a desktop session.
import { spawn } from "node:child_process";

export function openBrowser(url: string): void {
  const { platform, env, stdout } = process;
  if (!stdout.isTTY || env.CI !== undefined || env.SSH_CONNECTION !== undefined) return;
  if (platform === "linux" && env.DISPLAY === undefined && env.WAYLAND_DISPLAY === undefined) return;
  const opener = spawn(platform === "darwin" ? "open" : "xdg-open", [url], { stdio: "ignore", detached: true });
  // Nothing to open it with: the printed address is enough.
  opener.on("error", () => {});
  opener.unref();
}
