// Lists what the agent's chip offers: its model, the model for one prompt, and its other options, a group each.
import type { ThreadStateRow } from "@signalbox/protocol";
import type { ListOption } from "../shared/list-option.ts";
import { readCategoryChoices, readOptions } from "./option-choices.ts";

/** An option of the session, or the model for the next prompt only. */
type AgentSetting = { readonly config_id: string; readonly value: string | boolean } | { readonly once: string };

/** A list box chooses texts: the setting is written into one. */
export function readSetting(value: string): AgentSetting {
  return JSON.parse(value) as AgentSetting;
}

const write = (setting: AgentSetting) => JSON.stringify(setting);

/** `summary`: the chosen values, as the chip shows them. */
export function listAgentOptions(
  state: Pick<ThreadStateRow, "modes" | "config_options">,
  once: string,
): { readonly options: readonly ListOption[]; readonly summary: string } {
  const hasModes = state.modes !== null;
  const offered = readOptions(state.config_options, { withoutMode: hasModes });
  const options = offered.flatMap((option): readonly ListOption[] => {
    if (option.type === "boolean") {
      const value = write({ config_id: option.id, value: !option.value });
      return [{ value, name: option.name, group: "Switches", isChosen: option.value }];
    }
    return option.choices.map(({ value, name, description }) => ({
      value: write({ config_id: option.id, value }),
      name,
      hint: description,
      group: option.name,
      isChosen: value === option.value,
    }));
  });
  const models = readCategoryChoices(state.config_options, "model");
  const forOnePrompt =
    models.length < 2
      ? []
      : models.map(({ value, name }) => ({
          value: write({ once: value === once ? "" : value }),
          name: `${name}, once`,
          group: "Only for the next prompt",
          isChosen: value === once,
        }));
  const chosen = offered.flatMap((option) =>
    option.type === "boolean" ? [] : option.choices.filter(({ value }) => value === option.value),
  );
  const next = models.find(({ value }) => value === once);
  const summary = next === undefined ? chosen.map(({ name }) => name).join(" · ") : `${next.name}, once`;
  return { options: [...options, ...forOnePrompt], summary };
}
