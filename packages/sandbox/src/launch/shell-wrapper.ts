// For launchers without our helper: a shell line around the command that joins its two outputs into one, in order, and
// sets the limits that a shell can set.
import type { LaunchRequest } from "./launch.ts";

const SCRIPT = 'ulimit -c 0; ulimit -d "$1" 2>/dev/null; ulimit -f "$2" 2>/dev/null; shift 2; exec "$@" 2>&1';

export function wrapInShell({ command, limits }: LaunchRequest): string[] {
  const memory = Math.floor(limits.memory / 1024); // in kilobytes
  const fileSize = Math.floor(limits.fileSize / 512); // in blocks
  return ["/bin/sh", "-c", SCRIPT, "sh", String(memory), String(fileSize), ...command];
}
