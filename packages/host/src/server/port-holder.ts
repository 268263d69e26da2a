// Finds the process that holds a port, for an error message. Reads /proc, so it knows nothing on other systems than Linux.
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { createServer } from "node:net";

/** Gives "process 4711 (node server.js)", or null where it cannot be known. */
export function describePortHolder(port: number): string | null {
  const inodes = findListeningInodes(port);
  if (inodes.size === 0) return null;
  for (const pid of listNames("/proc").filter((name) => /^\d+$/.test(name))) {
    for (const descriptor of listNames(`/proc/${pid}/fd`)) {
      if (!inodes.has(readLink(`/proc/${pid}/fd/${descriptor}`))) continue;
      const command = readText(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim();
      return `process ${pid}${command === "" ? "" : ` (${command.slice(0, 80)})`}`;
    }
  }
  return null;
}

export async function findFreePort(after: number, host: string): Promise<number | null> {
  for (let port = after + 1; port < Math.min(after + 50, 65_536); port++) {
    if (await isFree(port, host)) return port;
  }
  return null;
}

function isFree(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", () => resolve(false));
    probe.listen(port, host, () => probe.close(() => resolve(true)));
  });
}

function findListeningInodes(port: number): Set<string> {
  const listening = "0A";
  const rows = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((file) => readText(file).split("\n").slice(1));
  const found = rows
    .map((row) => row.trim().split(/\s+/))
    .filter((fields) => fields[3] === listening && Number.parseInt(fields[1]?.split(":")[1] ?? "", 16) === port)
    .map((fields) => `socket:[${fields[9]}]`);
  return new Set(found);
}

// Processes end meanwhile, and many belong to other users: what cannot be read is treated as absent.
function readText(file: string): string {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return "";
  }
}

function listNames(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readLink(file: string): string {
  try {
    return readlinkSync(file);
  } catch {
    return "";
  }
}
