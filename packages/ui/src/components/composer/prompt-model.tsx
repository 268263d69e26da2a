// Chooses another model for the next prompt only. The session's model stays as it is.
import type { ThreadStateRow } from "@signalbox/protocol";
import { readCategoryChoices } from "./option-choices.ts";

interface PromptModelProps {
  readonly state: ThreadStateRow | null;
  /** Empty: the session's. */
  readonly value: string;
  readonly onChange: (model: string) => void;
}

export function PromptModel({ state, value, onChange }: PromptModelProps) {
  const choices = readCategoryChoices(state?.config_options ?? null, "model");
  if (choices.length < 2) return null;
  return (
    <span className="pick" title="Another model, for the next prompt only">
      <select aria-label="Only for the next prompt" value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">once: same model</option>
        {choices.map(({ value: model, name, description }) => (
          <option key={model} value={model} title={description}>
            {`once: ${name}`}
          </option>
        ))}
      </select>
    </span>
  );
}
