// Defines the modes of a session. It imports nothing, because the command line needs them before the rest is loaded.
import type { SessionModeState } from "@agentclientprotocol/sdk";

export const modes = [
  {
    id: "sandbox",
    name: "Sandbox",
    description: "Writes in the session's folders and in temporary ones, nowhere else",
  },
  { id: "rx", name: "Read and run", description: "Commands run, but the session's folders are read-only" },
  { id: "rwx", name: "Everything", description: "Writes anywhere but in protected places" },
  { id: "plan", name: "Plan", description: "Reads and thinks only" },
] as const;

export type ModeId = (typeof modes)[number]["id"];

export const modeIds: readonly ModeId[] = modes.map(({ id }) => id);

export function isModeId(id: string): id is ModeId {
  return modeIds.some((known) => known === id);
}

export function modeState(current: ModeId): SessionModeState {
  return { currentModeId: current, availableModes: modes.map((mode) => ({ ...mode })) };
}
