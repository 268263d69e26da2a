// Lists the permission modes of Claude Code that a person may choose.
import type { SessionMode } from "@agentclientprotocol/sdk";
import type { PermissionMode } from "../sdk/sdk.ts";

const modes: readonly (SessionMode & { readonly id: PermissionMode })[] = [
  { id: "default", name: "Ask", description: "Asks before it changes a file or runs a command" },
  { id: "acceptEdits", name: "Accept edits", description: "Changes files in the folder without asking" },
  { id: "plan", name: "Plan", description: "Looks and plans, changes nothing" },
  { id: "bypassPermissions", name: "Bypass permissions", description: "Asks for nothing" },
];

export function offeredModes(bypass: boolean): readonly (SessionMode & { readonly id: PermissionMode })[] {
  return bypass ? modes : modes.filter(({ id }) => id !== "bypassPermissions");
}

/** Claude Code refuses it to root outside a sandbox, and so do we before it is offered. */
export function mayBypass(env: NodeJS.ProcessEnv, userId: number | undefined = process.geteuid?.()): boolean {
  return userId !== 0 || env.IS_SANDBOX === "1";
}
