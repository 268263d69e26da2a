// Fields of the settings that change one key of config.json each: a number, a choice, a list of texts. They save immediately.
import { type FormEvent, useState } from "react";
import { type ConfigPath, readConfigValue, useConfig } from "./use-config.ts";

interface FieldProps {
  readonly label: string;
  readonly path: ConfigPath;
}

/** An empty field removes the key: the default then holds. */
export function NumberField({ label, path, unit, usual }: FieldProps & { unit: string; usual: string }) {
  const { config, set, error } = useConfig();
  const written = readConfigValue(config, path);
  const saved = typeof written === "number" ? String(written) : "";
  const [typed, setTyped] = useState<string | null>(null);
  const save = async () => {
    if (typed === null || typed === saved) return setTyped(null);
    const value = typed.trim() === "" ? undefined : Number(typed.replace(",", "."));
    if (await set(value === undefined ? { path } : { path, value })) setTyped((now) => (now === typed ? null : now));
  };
  return (
    <div className="config-field">
      <label>
        {label}
        <span>
          <input
            inputMode="decimal"
            value={typed ?? saved}
            placeholder={usual}
            onChange={(event) => setTyped(event.target.value)}
            onBlur={() => void save()}
            onKeyDown={(event) => {
              if (event.key === "Enter") void save();
              if (event.key === "Escape") setTyped(null);
            }}
          />{" "}
          {unit}
        </span>
      </label>
      <FieldError error={error} />
    </div>
  );
}

interface Choice {
  readonly value: string;
  readonly name: string;
}

/** The first choice is the default: it removes the key. */
export function ChoiceField({ label, path, choices }: FieldProps & { choices: readonly Choice[] }) {
  const { config, set, error, isBusy } = useConfig();
  const written = readConfigValue(config, path);
  const [first] = choices;
  const chosen = typeof written === "string" ? written : (first?.value ?? "");
  return (
    <div className="config-field">
      <label>
        {label}
        <select
          value={chosen}
          disabled={isBusy}
          onChange={({ target: { value } }) => void set(value === first?.value ? { path } : { path, value })}
        >
          {choices.map(({ value, name }) => (
            <option key={value} value={value}>
              {name}
            </option>
          ))}
          {!choices.some(({ value }) => value === chosen) && <option value={chosen}>{chosen}</option>}
        </select>
      </label>
      <FieldError error={error} />
    </div>
  );
}

/** Texts that are added and removed one by one. */
export function ListField({ label, path, placeholder, empty }: FieldProps & { placeholder: string; empty: string }) {
  const { config, set, error, isBusy } = useConfig();
  const written = readConfigValue(config, path);
  const texts = Array.isArray(written) ? written.filter((text) => typeof text === "string") : [];
  const [typed, setTyped] = useState("");
  const add = async (event: FormEvent) => {
    event.preventDefault();
    const text = typed.trim();
    if (text === "" || texts.includes(text)) return;
    if (await set({ path, value: [...texts, text] })) setTyped((now) => (now === typed ? "" : now));
  };
  const remove = (text: string) => {
    const rest = texts.filter((other) => other !== text);
    void set({ path, value: rest });
  };
  return (
    <fieldset className="config-list">
      <legend>{label}</legend>
      <ul className="rows">
        {texts.length === 0 && <li className="hint">{empty}</li>}
        {texts.map((text) => (
          <li key={text}>
            <code>{text}</code>
            <button type="button" className="quiet" aria-label={`Remove ${text}`} onClick={() => remove(text)}>
              Remove
            </button>
          </li>
        ))}
      </ul>
      <form className="key-form" onSubmit={(event) => void add(event)}>
        <input
          aria-label={`Add to: ${label}`}
          placeholder={placeholder}
          value={typed}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => setTyped(event.target.value)}
        />
        <button type="submit" className="button" disabled={isBusy || typed.trim() === ""}>
          Add
        </button>
      </form>
      <FieldError error={error} />
    </fieldset>
  );
}

export function FieldError({ error }: { error: string | null }) {
  return error === null ? null : (
    <p role="alert" className="error">
      {error}
    </p>
  );
}
