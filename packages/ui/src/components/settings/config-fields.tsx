// Fields of the settings that change one key of config.json each: a number, a choice, a list of texts. They save immediately. Label, help, unit and
// default come from the schema of the config.

import type { ConfigKeyRow } from "@signalbox/protocol";
import { type FormEvent, useId, useState } from "react";
import { ListBox } from "../shared/list-box.tsx";
import { type ConfigPath, readConfigValue, useConfig, useKey } from "./use-config.ts";

/** Every field of a section of the settings that needs no form of its own. */
export function SectionFields({ section }: { section: string }) {
  const { keys } = useConfig();
  return keys
    .filter((key) => key.section === section && key.type !== "other")
    .map(({ key }) => <ConfigField key={key} name={key} />);
}

/** `name` is the key: `limits.max_turns`. */
export function ConfigField({ name }: { name: string }) {
  const { type, choices } = useKey(name);
  switch (type) {
    case "number":
      return <NumberField name={name} />;
    case "choice":
      return <ChoiceField name={name} choices={choices} />;
    case "list":
      return <ListField name={name} />;
    case "other":
      throw new Error(`The config key ${name} needs a form of its own.`);
  }
}

/** An empty field removes the key, so that the default applies. */
function NumberField({ name }: { name: string }) {
  const { label, unit, placeholder, path, ...key } = useKey(name);
  const helpId = useId();
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
            placeholder={placeholder}
            aria-describedby={helpId}
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
      <small id={helpId} className="hint">
        {describeLimits(key)}
      </small>
      <FieldError error={error} />
    </div>
  );
}

function describeLimits({ help, maximum }: Pick<ConfigKeyRow, "help" | "maximum">): string {
  return maximum === null ? help : `${help} At most ${maximum}.`;
}

/** The first choice is the default: it removes the key. */
export function ChoiceField({ name: key, choices }: { name: string; choices: ConfigKeyRow["choices"] }) {
  const { label, path } = useKey(key);
  const { config, set, error, isBusy } = useConfig();
  const written = readConfigValue(config, path);
  const [first] = choices;
  const chosen = typeof written === "string" ? written : (first?.value ?? "");
  return (
    <div className="config-field">
      <span className="labelled">
        {label}
        <ListBox
          label={label}
          value={chosen}
          isDisabled={isBusy}
          onChange={(value) => void set(value === first?.value ? { path } : { path, value })}
          options={choices}
        />
      </span>
      <FieldError error={error} />
    </div>
  );
}

function ListField({ name }: { name: string }) {
  const { label, path, placeholder } = useKey(name);
  return <TextList label={label} path={path} placeholder={placeholder} />;
}

interface TextListProps {
  readonly label: string;
  readonly path: ConfigPath;
  readonly placeholder: string;
}

/** Texts that are added and removed one by one. */
export function TextList({ label, path, placeholder }: TextListProps) {
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
        {texts.length === 0 && <li className="hint">None.</li>}
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
