// Wraps a command in a shell line, for launchers without our helper: it joins the two outputs in order, and sets the limits that a shell can
// set.
import type { LaunchRequest } from "./launch-request.ts";

const setLimits = 'ulimit -c 0; ulimit -d "$1" 2>/dev/null; ulimit -f "$2" 2>/dev/null; shift 2;';
const startLine = { joined: 'exec "$@" 2>&1', own: 'exec "$@"' };

export function wrapInShell({ command, limits, streams }: LaunchRequest): string[] {
  const memory = Math.floor(limits.memory / 1024); // in kilobytes
  const fileSize = Math.floor(limits.fileSize / 512); // in blocks
  return ["/bin/sh", "-c", `${setLimits} ${startLine[streams]}`, "sh", String(memory), String(fileSize), ...command];
}
