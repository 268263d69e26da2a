// Reads the modes and options that an agent offers, flat or in groups. Those without an id are left out.
import { isJsonObject, type Json } from "@signalbox/protocol";

export function readModes(modes: Json): readonly { id: string; name: string }[] {
  const list = isJsonObject(modes) ? modes.availableModes : modes;
  if (!Array.isArray(list)) return [];
  return list.flatMap((mode) =>
    isJsonObject(mode) && typeof mode.id === "string" ? [{ id: mode.id, name: textOr(mode.name, mode.id) }] : [],
  );
}

interface OptionChoice {
  readonly value: string;
  readonly name: string;
  readonly description: string;
}

function readChoices(options: Json | undefined): readonly OptionChoice[] {
  if (!Array.isArray(options)) return [];
  return options.flatMap((option) => {
    if (!isJsonObject(option)) return [];
    if (Array.isArray(option.options)) return readChoices(option.options);
    if (typeof option.value !== "string") return [];
    const { value } = option;
    return [{ value, name: textOr(option.name, value), description: textOr(option.description, "") }];
  });
}

/** `isNamed`: the label is shown, because the chosen value alone would not be clear. */
type SessionOption = {
  readonly id: string;
  readonly name: string;
  readonly description: string;
  readonly isNamed: boolean;
} & (
  | { readonly type: "boolean"; readonly value: boolean }
  | { readonly type: "select"; readonly value: string; readonly choices: readonly OptionChoice[] }
);

/** `withoutMode`: the mode is already shown, so an option for it is left out. */
export function readOptions(options: Json, { withoutMode }: { withoutMode: boolean }): readonly SessionOption[] {
  if (!Array.isArray(options)) return [];
  return options.flatMap((option): SessionOption[] => {
    if (!isJsonObject(option) || typeof option.id !== "string") return [];
    if (withoutMode && option.category === "mode") return [];
    const head = {
      id: option.id,
      name: textOr(option.name, option.id),
      description: textOr(option.description, ""),
      isNamed: option.category !== "mode" && option.category !== "model",
    };
    if (option.type === "boolean") return [{ ...head, type: "boolean", value: option.currentValue === true }];
    const choices = readChoices(option.options);
    return choices.length === 0 ? [] : [{ ...head, type: "select", value: textOr(option.currentValue, ""), choices }];
  });
}

/** Lists the agent's choices in one category, such as `model`. */
export function readCategoryChoices(options: Json, category: string): readonly OptionChoice[] {
  const offered = Array.isArray(options) ? options.filter(isJsonObject) : [];
  const option = offered.find((one) => one.category === category);
  const [read] = readOptions(option === undefined ? [] : [option], { withoutMode: false });
  return read?.type === "select" ? read.choices : [];
}

const textOr = (value: Json | undefined, otherwise: string) => (typeof value === "string" ? value : otherwise);
