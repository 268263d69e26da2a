// A field for a key. It goes to the host, which keeps it, and is never shown again but for its last four letters.

import { type FormEvent, useState } from "react";
import { useSignalbox } from "../../hooks/signalbox.ts";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { showNotice } from "../../stores/notices.ts";
import { ErrorText } from "../shared/error-text.tsx";
import { ListBox } from "../shared/list-box.tsx";

/** A variable that the agent reads a key from, and how such keys begin. */
interface KeyVariable {
  readonly variable: string;
  readonly label: string;
  readonly key_prefix: string | null;
}

interface KeyFormProps {
  readonly agentId: string;
  readonly variables: readonly KeyVariable[];
  readonly onSaved: () => void;
  readonly onCancel?: () => void;
}

export function KeyForm({ agentId, variables, onSaved, onCancel }: KeyFormProps) {
  const { connection } = useSignalbox();
  const { attempt, error, isBusy } = useAttempt();
  const [key, setKey] = useState("");
  const [chosen, setChosen] = useState<string | null>(null);
  const variable = chosen ?? guessKeyVariable(key.trim(), variables) ?? variables[0]?.variable ?? "";
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const value = key.trim();
    if (value === "") return;
    const isSaved = await attempt(async () => {
      const { note } = await connection.request("keys.save", { agent_id: agentId, variable, value });
      showNotice(note, undefined, false);
    });
    if (!isSaved) return;
    setKey("");
    onSaved();
  };
  return (
    <form className="key-form" onSubmit={(event) => void save(event)}>
      {variables.length > 1 && (
        <ListBox
          label="Provider"
          value={variable}
          onChange={setChosen}
          options={variables.map((each) => ({ value: each.variable, name: each.label }))}
        />
      )}
      <input
        type="password"
        aria-label={variables.length > 1 ? "API key" : `Key for ${variable}`}
        placeholder={variables.length > 1 ? "Paste a key" : `Paste a key (${variable})`}
        value={key}
        spellCheck={false}
        autoComplete="off"
        onChange={(event) => setKey(event.target.value)}
      />
      <button type="submit" className="button" disabled={isBusy || key.trim() === ""}>
        {isBusy ? "Testing …" : "Save"}
      </button>
      {onCancel !== undefined && (
        <button type="button" className="quiet" onClick={onCancel}>
          Cancel
        </button>
      )}
      <ErrorText error={error} />
    </form>
  );
}

/** The variable that a key like this belongs in: `sk-ant-…` begins as `sk-…` does, so the longest beginning counts. */
export function guessKeyVariable(key: string, variables: readonly KeyVariable[]): string | undefined {
  const length = ({ key_prefix }: KeyVariable) =>
    key_prefix !== null && key.startsWith(key_prefix) ? key_prefix.length : 0;
  const [best] = variables.filter((each) => length(each) > 0).toSorted((a, b) => length(b) - length(a));
  return best?.variable;
}
