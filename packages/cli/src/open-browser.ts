// Opens an address in the person's browser where there is a person and a browser; otherwise the printed address has to do.
import { spawn } from "node:child_process";

export function openBrowser(url: string): void {
  const { platform, env, stdout } = process;
  if (!stdout.isTTY || env.CI !== undefined || env.SSH_CONNECTION !== undefined) return;
  if (platform === "linux" && env.DISPLAY === undefined && env.WAYLAND_DISPLAY === undefined) return;
  const opener = spawn(platform === "darwin" ? "open" : "xdg-open", [url], { stdio: "ignore", detached: true });
  // No opener on this machine: the person clicks the line that was printed.
  opener.on("error", () => {});
  opener.unref();
}
