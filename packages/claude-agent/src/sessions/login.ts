// Checks whether the user is logged in to Claude Code, by starting it without a prompt.
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { findDataFolder } from "../sdk/data-folder.ts";
import type { LoadedSdk } from "../sdk/load-sdk.ts";
import { ownSettingsOnly } from "./query-options.ts";
import { RunningClaude } from "./running-claude.ts";
import { createLoginError } from "./turn-end.ts";

interface Account {
  readonly tokenSource?: string;
  readonly apiKeySource?: string;
  readonly apiProvider?: string;
}

/** With another provider than Anthropic itself, who is logged in is that provider's matter. */
export function isLoggedIn({
  tokenSource = "none",
  apiKeySource = "none",
  apiProvider = "firstParty",
}: Account): boolean {
  return apiProvider !== "firstParty" || tokenSource !== "none" || apiKeySource !== "none";
}

/** In an empty folder of Signalbox's own, which no command can write. */
export async function checkLogin({ sdk, program }: LoadedSdk, env: NodeJS.ProcessEnv): Promise<void> {
  const folder = join(findDataFolder(env), "empty", crypto.randomUUID());
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const conversation = new RunningClaude(sdk, { cwd: folder, env, ...ownSettingsOnly(program) }, () => {});
  try {
    const { account } = await conversation.initialization();
    if (!isLoggedIn(account)) throw createLoginError();
  } finally {
    await conversation.stop();
    await rm(folder, { recursive: true, force: true });
  }
}
