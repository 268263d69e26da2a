// The modes, models and other settings that a session offers, and choosing one; used by the composer and the command palette.
import type { ThreadStateRow } from "@signalbox/protocol";
import type { HostConnection } from "@signalbox/react";
import { readModes, readOptions } from "./option-choices.ts";

interface SessionChoice {
  readonly id: string;
  readonly name: string;
  readonly setting: Setting;
}

/** A mode, or a value of one of the agent's options. */
type Setting = { readonly mode_id: string } | { readonly config_id: string; readonly value: string | boolean };

type SessionOffer = Pick<ThreadStateRow, "modes" | "current_mode_id" | "config_options">;

export async function choose(connection: HostConnection, thread_id: string, setting: Setting): Promise<void> {
  if ("mode_id" in setting) await connection.request("session.set_mode", { thread_id, ...setting });
  else await connection.request("session.set_config_option", { thread_id, ...setting });
}

/** Every mode, model and other choice that the agent offers, without those that are in use. */
export function otherChoices(state: SessionOffer): readonly SessionChoice[] {
  const modes = readModes(state.modes);
  const others = modes.filter(({ id }) => id !== state.current_mode_id);
  const options = readOptions(state.config_options, { withoutMode: modes.length > 0 });
  return [
    ...others.map(({ id, name }) => ({ id: `mode ${id}`, name: `Mode: ${name}`, setting: { mode_id: id } })),
    ...options.flatMap((option): readonly SessionChoice[] => {
      const { id: option_id, name: of } = option;
      const choice = (name: string, value: string | boolean) => ({
        id: `option ${option_id} ${value}`,
        name: `${of}: ${name}`,
        setting: { config_id: option_id, value },
      });
      if (option.type === "boolean") return [choice(option.value ? "off" : "on", !option.value)];
      return option.choices.filter(({ value }) => value !== option.value).map(({ name, value }) => choice(name, value));
    }),
  ];
}
