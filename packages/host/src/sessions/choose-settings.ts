// Sets mode, model and thinking of a session, as a client chose them when it opened the thread.
import { isJsonObject, messageOf } from "@signalbox/protocol";
import type { Register } from "@signalbox/tinyvex";
import { HostError } from "../data/host-error.ts";
import type { Session } from "./session.ts";
import { findOption } from "./session-settings.ts";

export interface ChosenSettings {
  readonly mode_id?: string | undefined;
  readonly model?: string | undefined;
  readonly thinking?: string | undefined;
}

/** JSON-RPC code with which an agent refuses a value that it does not have. */
const invalidParams = -32602;

/** Throws where the agent has no such setting or refuses the value: a prompt must not run with another model than the chosen one. */
export async function chooseSettings(
  register: Register,
  threadId: string,
  session: Session,
  { mode_id, model, thinking }: ChosenSettings,
): Promise<void> {
  if (mode_id !== undefined && session.modeId !== mode_id)
    await taken(session, `mode ${mode_id}`, () => session.setMode(mode_id));
  for (const [category, name, value] of [
    ["model", "model", model],
    ["thought_level", "thinking level", thinking],
  ] as const) {
    if (value === undefined) continue;
    await register.settled(threadId);
    const { rows } = await register.query("state.get", { thread_id: threadId });
    const option = findOption(rows[0]?.config_options ?? null, category);
    if (option === undefined) {
      throw new HostError("bad_request", `${session.label} does not let a client choose the ${name}. Leave it out.`);
    }
    if (option.currentValue !== value)
      await taken(session, `${name} ${value}`, () => session.setConfigOption(option.id, value));
  }
}

/** A value that the agent does not have is a mistake of the one who chose it, not a failure of the agent. */
async function taken({ label }: Session, setting: string, set: () => Promise<void>): Promise<void> {
  try {
    await set();
  } catch (error) {
    const details = error instanceof HostError ? error.details : undefined;
    if (!(isJsonObject(details) && details.code === invalidParams)) throw error;
    const reason = messageOf((error as HostError).cause).replace(/^Invalid params:? */i, "");
    throw new HostError("bad_request", `${label} does not take the ${setting}${reason === "" ? "." : `: ${reason}`}`, {
      cause: error,
    });
  }
}
