// The user's config.json for the forms of the settings: what it says, and a way to change single keys of it.
import { type ConfigKeyRow, type Json, type JsonObject, toFields } from "@signalbox/protocol";
import { createContext, useContext } from "react";
import { useSignalbox } from "../../hooks/signalbox.ts";
import { useAttempt } from "../../hooks/use-attempt.ts";

export type ConfigPath = readonly string[];

interface ConfigForm {
  /** Without what may be secret. */
  readonly config: JsonObject;
  readonly file: string;
  /** The keys that have a form, with their texts. */
  readonly keys: readonly ConfigKeyRow[];
  /** Reads it again; resolves when it is known. */
  readonly reload: () => Promise<void>;
}

export const ConfigContext = createContext<ConfigForm>({ config: {}, file: "", keys: [], reload: async () => {} });

/** The value at a path; undefined where there is none. */
export function readConfigValue(config: JsonObject, path: ConfigPath): Json | undefined {
  return path.reduce<Json | undefined>((part, key) => toFields(part)[key], config);
}

/** The texts of a key and its path in the file. */
export function useKey(name: string): ConfigKeyRow & { readonly path: ConfigPath } {
  const found = useContext(ConfigContext).keys.find(({ key }) => key === name);
  if (found === undefined) throw new Error(`The host has no form for the config key ${name}.`);
  return { ...found, path: name.split(".") };
}

export function useConfig() {
  const form = useContext(ConfigContext);
  const { connection } = useSignalbox();
  const { attempt, error, isBusy } = useAttempt();
  /** Without a value, the key is removed. True when it was written. */
  const set = async (...changes: readonly { readonly path: ConfigPath; readonly value?: Json }[]) => {
    const list = changes.map(({ path, value }) => ({ path: [...path], ...(value === undefined ? {} : { value }) }));
    const isWritten = await attempt(() => connection.request("config.edit", { changes: list }));
    // A field that is done before would show the old value for a moment, and what a person does to it then would be lost.
    if (isWritten) await form.reload();
    return isWritten;
  };
  return { ...form, set, error, isBusy };
}
