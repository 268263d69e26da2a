// The settings of a session, with the request that changes each; used by the composer and the command palette.
import type { ThreadStateRow } from "@signalbox/protocol";
import type { Request } from "@signalbox/react";
import { readModes, readOptions } from "./option-choices.ts";

interface SessionChoice {
  readonly id: string;
  readonly name: string;
  readonly request: Request;
}

type SessionOffer = Pick<ThreadStateRow, "modes" | "current_mode_id" | "config_options">;

export function modeRequest(thread_id: string, mode_id: string): Request {
  return { control: "session.set_mode", thread_id, mode_id };
}

export function optionRequest(thread_id: string, config_id: string, value: string | boolean): Request {
  return { control: "session.set_config_option", thread_id, config_id, value };
}

/** Every mode, model and other choice that the agent offers, without those that are in use. */
export function otherChoices(threadId: string, state: SessionOffer): readonly SessionChoice[] {
  const modes = readModes(state.modes);
  const others = modes.filter(({ id }) => id !== state.current_mode_id);
  const options = readOptions(state.config_options, { withoutMode: modes.length > 0 });
  return [
    ...others.map(({ id, name }) => ({ id: `mode ${id}`, name: `Mode: ${name}`, request: modeRequest(threadId, id) })),
    ...options.flatMap((option): readonly SessionChoice[] => {
      const { id: option_id, name: of } = option;
      const choice = (name: string, value: string | boolean) => ({
        id: `option ${option_id} ${value}`,
        name: `${of}: ${name}`,
        request: optionRequest(threadId, option_id, value),
      });
      if (option.type === "boolean") return [choice(option.value ? "off" : "on", !option.value)];
      return option.choices.filter(({ value }) => value !== option.value).map(({ name, value }) => choice(name, value));
    }),
  ];
}
