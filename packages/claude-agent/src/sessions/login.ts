// Checks whether the user is logged in to Claude Code, by starting it without a prompt.
import { tmpdir } from "node:os";
import type { ClaudeSdk } from "../sdk/sdk.ts";
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

export async function checkLogin(sdk: ClaudeSdk, env: NodeJS.ProcessEnv): Promise<void> {
  const conversation = new RunningClaude(sdk, { cwd: tmpdir(), env }, () => {});
  try {
    const { account } = await conversation.initialization();
    if (!isLoggedIn(account)) throw createLoginError();
  } finally {
    await conversation.stop();
  }
}
