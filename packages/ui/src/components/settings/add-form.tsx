// A form of a name and a line, which adds an entry to a list of config.json: an agent, an MCP server.
import { type FormEvent, useState } from "react";
import { FieldError } from "./config-fields.tsx";

interface AddFormProps {
  readonly button: string;
  readonly name: FieldText;
  readonly line: FieldText;
  /** An entry of such a name would be replaced, so it is refused. */
  readonly taken: { readonly names: readonly string[]; readonly problem: string };
  readonly isBusy: boolean;
  readonly error: string | null;
  /** False where it could not be written; what was typed stays. */
  readonly onAdd: (name: string, line: string) => Promise<boolean>;
}

interface FieldText {
  readonly label: string;
  readonly hint: string;
}

export function AddForm({ button, name, line, taken, isBusy, error, onAdd }: AddFormProps) {
  const [typedName, setName] = useState("");
  const [typedLine, setLine] = useState("");
  const [newName, newLine] = [typedName.trim(), typedLine.trim()];
  const isTaken = taken.names.includes(newName);
  const add = async (event: FormEvent) => {
    event.preventDefault();
    if (!(await onAdd(newName, newLine))) return;
    setName("");
    setLine("");
  };
  return (
    <form className="key-form add" onSubmit={(event) => void add(event)}>
      <Field {...name} value={typedName} onType={setName} />
      <Field {...line} value={typedLine} onType={setLine} />
      <button type="submit" className="button" disabled={isBusy || isTaken || newName === "" || newLine === ""}>
        {button}
      </button>
      {isTaken && <small className="hint">{taken.problem}</small>}
      <FieldError error={error} />
    </form>
  );
}

export function Field({ label, hint, value, onType }: FieldText & { value: string; onType: (text: string) => void }) {
  return (
    <input
      aria-label={label}
      placeholder={hint}
      value={value}
      spellCheck={false}
      onChange={(event) => onType(event.target.value)}
    />
  );
}
