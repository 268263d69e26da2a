// The credentials that are added to requests outside the sandbox: their names, and a form that adds one. The values are not in the config, and never on the page.

import { isJsonObject, type JsonObject, type SetupRow, toFields } from "@signalbox/protocol";
import { type FormEvent, useState } from "react";
import { ListBox } from "../shared/list-box.tsx";
import { Field } from "./add-form.tsx";
import { FieldError } from "./config-fields.tsx";
import { readConfigValue, useConfig, useKey } from "./use-config.ts";

const path = ["sandbox", "credentials"];

/** Only where the network goes by name is one used. */
export function CredentialSettings({ setup }: { setup: SetupRow | undefined }) {
  const { label } = useKey("sandbox.credentials");
  const { config, set, error, isBusy } = useConfig();
  const written = readConfigValue(config, path);
  const all = Object.entries(toFields(written));
  const isByName = isJsonObject(readConfigValue(config, ["sandbox", "network"]));
  if (all.length === 0 && !isByName) return null;
  return (
    <div className="config-field">
      <span id="credentials">{label}</span>
      <ul aria-labelledby="credentials">
        {all.map(([name, entry]) => (
          <li key={name}>
            <b>{name}</b> <small>{describeCredential(entry)}</small>{" "}
            <button
              type="button"
              className="button"
              disabled={isBusy}
              aria-label={`Remove the credential ${name}`}
              onClick={() => void set({ path: [...path, name] })}
            >
              Remove
            </button>
          </li>
        ))}
      </ul>
      <FieldError error={error} />
      {isByName ? (
        <AddCredential names={all.map(([name]) => name)} keys={keptKeys(setup)} />
      ) : (
        <p className="hint">
          Inactive. Set the network access of commands to <i>listed hosts</i> to use credentials.
        </p>
      )}
    </div>
  );
}

const empty = { name: "", host: "", header: "", variable: "" };
const texts = {
  name: { label: "Name of the credential", hint: "name" },
  host: { label: "Host that gets the credential", hint: "api.example.com" },
  header: { label: "Header of the credential", hint: "authorization" },
  variable: { label: "Variable that has the credential", hint: "variable, such as GITHUB_TOKEN" },
};

function AddCredential({ names, keys }: { names: readonly string[]; keys: readonly string[] }) {
  const { set, error, isBusy } = useConfig();
  const [typed, setTyped] = useState(empty);
  /** A key that was given to Signalbox; empty for a variable of its environment. */
  const [kept, setKept] = useState("");
  const { name, host, header, variable } = Object.fromEntries(
    Object.entries(typed).map(([field, text]) => [field, text.trim()]),
  ) as typeof empty;
  const isTaken = names.includes(name);
  const isWhole = name !== "" && host !== "" && (kept !== "" || variable !== "");
  const add = async (event: FormEvent) => {
    event.preventDefault();
    const from: JsonObject = kept === "" ? { env: variable } : { key: { agent: "signalbox", variable: kept } };
    const value: JsonObject = { host, ...(header !== "" && { header }), ...from };
    if (await set({ path: [...path, name], value })) setTyped(empty);
  };
  const field = (which: keyof typeof empty) => (
    <Field {...texts[which]} value={typed[which]} onType={(text) => setTyped({ ...typed, [which]: text })} />
  );
  return (
    <form className="key-form add" onSubmit={(event) => void add(event)}>
      {field("name")}
      {field("host")}
      {field("header")}
      {keys.length > 0 && (
        <ListBox
          label="Where its value is"
          value={kept}
          onChange={setKept}
          options={[
            { value: "", name: "a variable of Signalbox's environment" },
            ...keys.map((key) => ({ value: key, name: `the kept key ${key}` })),
          ]}
        />
      )}
      {kept === "" && field("variable")}
      <button type="submit" className="button" disabled={isBusy || isTaken || !isWhole}>
        Add credential
      </button>
      <small className="hint">
        {isTaken
          ? "There is a credential of this name."
          : "Do not type the secret itself. The host must also be on the list above."}
      </small>
      <FieldError error={error} />
    </form>
  );
}

function keptKeys(setup: SetupRow | undefined): readonly string[] {
  const providers = setup?.providers ?? [];
  return providers.flatMap(({ variable, key_source: source }) =>
    source === "key_ring" || source === "file" ? [variable] : [],
  );
}

function word(value: unknown, otherwise = "?"): string {
  return typeof value === "string" ? value : otherwise;
}

function describeCredential(entry: unknown): string {
  const written = toFields(entry);
  const { host, header, env, key } = written;
  const from = isJsonObject(key) ? `the key ${word(key.variable)}` : `the variable ${word(env)}`;
  return `for ${word(host)}, as ${word(header, "authorization")}, from ${from}`;
}
