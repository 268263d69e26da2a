// Defines the settings of a session: mode, model and thinking effort.
import type { SessionConfigOption } from "@agentclientprotocol/sdk";
import { type ModelFacts, nearestLevel, type ThinkingLevel } from "@signalbox/config/models";
import type { Thinking } from "../providers/model.ts";
import { describeModel } from "./describe-model.ts";
import { type ModeId, modes } from "./modes.ts";

const thinkingNames: Readonly<Record<Thinking, string>> = {
  off: "Off",
  minimal: "Minimal",
  low: "Low",
  medium: "Medium",
  high: "High",
  xhigh: "Extra high",
  max: "Maximum",
};

export function isThinking(value: string): value is Thinking {
  return Object.hasOwn(thinkingNames, value);
}

/** Levels that every provider accepts. */
const usualLevels: readonly ThinkingLevel[] = ["low", "medium", "high"];

/** Chooses the thinking level of a request: the chosen one, or the nearest that the model has. On by default if the model is known to think. */
export function chooseThinking({ thinkingLevels: levels }: ModelFacts, chosen: Thinking | null): Thinking {
  const wanted = chosen ?? (levels === undefined ? "off" : "medium");
  return wanted === "off" ? "off" : (nearestLevel(wanted, levels ?? usualLevels) ?? "off");
}

export interface Settings {
  readonly mode: ModeId;
  /** Null: the models of the config, chosen by what is asked. */
  readonly model: string | null;
  /** Null: as the model can. */
  readonly thinking: Thinking | null;
}

export interface ModelNames {
  readonly fast: string;
  readonly complex: string;
  readonly known: readonly string[];
  readonly facts: (model: string) => ModelFacts;
}

/** The value for "fast or complex, whichever fits". */
export const routed = "auto";

export function configOptions({ mode, model, thinking }: Settings, models: ModelNames): SessionConfigOption[] {
  const names = [...new Set([...(model === null ? [] : [model]), ...models.known])];
  const auto = models.fast === models.complex ? [] : [{ value: routed, name: `${models.fast} or ${models.complex}` }];
  const currentModel = model ?? (auto.length > 0 ? routed : models.complex);
  const facts = models.facts(model ?? models.complex);
  const levels: readonly Thinking[] = ["off", ...(facts.thinkingLevels ?? usualLevels)];
  return [
    {
      type: "select",
      id: "mode",
      name: "Mode",
      description: "How far the agent may go",
      category: "mode",
      currentValue: mode,
      options: modes.map(({ id, name, description }) => ({ value: id, name, description })),
    },
    {
      type: "select",
      id: "model",
      name: "Model",
      category: "model",
      currentValue: currentModel,
      options: [
        ...auto,
        ...names.map((name) => ({ value: name, name, description: describeModel(models.facts(name)) })),
      ],
    },
    {
      type: "select",
      id: "thinking",
      name: "Thinking",
      description: "How much the model thinks before it answers, where it can be told",
      category: "thought_level",
      currentValue: chooseThinking(facts, thinking),
      options: levels.map((level) => ({ value: level, name: thinkingNames[level] })),
    },
  ];
}

/** Whether a value is one of those that an option offers now. */
export function isOffered(options: readonly SessionConfigOption[], id: string, value: string): boolean {
  const option = options.find((each) => each.id === id);
  if (option?.type !== "select") return false;
  return option.options.some((each) =>
    "value" in each ? each.value === value : each.options.some((one) => one.value === value),
  );
}

/** Why a value was not set, for the person who chose it. */
export function refusedOption(options: readonly SessionConfigOption[], id: string, value: unknown): string {
  const option = options.find((each) => each.id === id);
  if (option?.type !== "select")
    return `there is no option ${id}: there are ${options.map((each) => each.id).join(", ")}`;
  const offered = option.options.flatMap((each) =>
    "value" in each ? [each.value] : each.options.map((one) => one.value),
  );
  const other = id === "model" ? "; /model NAME in a prompt takes any other" : "";
  return `${id} cannot be ${JSON.stringify(value)}: it offers ${offered.join(", ")}${other}`;
}
