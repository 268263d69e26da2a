// Sets mode, model and thinking of a session, as a client chose them when it opened the thread.
import type { Register } from "@signalbox/tinyvex";
import { HostError } from "../data/host-error.ts";
import type { Session } from "./session.ts";
import { optionOf } from "./session-settings.ts";

export interface ChosenSettings {
  readonly mode_id?: string | undefined;
  readonly model?: string | undefined;
  readonly thinking?: string | undefined;
}

/** Throws where the agent has no such setting or refuses the value: a prompt must not run with another model than the chosen one. */
export async function chooseSettings(
  register: Register,
  threadId: string,
  session: Session,
  { mode_id, model, thinking }: ChosenSettings,
): Promise<void> {
  if (mode_id !== undefined && session.modeId !== mode_id) await session.setMode(mode_id);
  for (const [category, name, value] of [
    ["model", "model", model],
    ["thought_level", "thinking level", thinking],
  ] as const) {
    if (value === undefined) continue;
    await register.settled(threadId);
    const { rows } = await register.query("state.get", { thread_id: threadId });
    const option = optionOf(rows[0]?.config_options ?? null, category);
    if (option === undefined) {
      throw new HostError("bad_request", `${session.label} does not let a client choose the ${name}. Leave it out.`);
    }
    if (option.currentValue !== value) await session.setConfigOption(option.id, value);
  }
}
