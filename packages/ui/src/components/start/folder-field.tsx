// The folder an agent works in, completed from the folders that exist.
import { useId, useState } from "react";
import { useQuery } from "../../hooks/use-query.ts";

export function FolderField({ value, onChange }: { value: string; onChange: (folder: string) => void }) {
  const listId = useId();
  const [isTouched, setTouched] = useState(false);
  const { rows } = useQuery("folders.complete", isTouched && value !== "" ? { prefix: value } : null);
  return (
    <label className="grow">
      Folder
      <input
        value={value}
        list={listId}
        placeholder="/home/you/project"
        spellCheck={false}
        autoComplete="off"
        onFocus={() => setTouched(true)}
        onChange={(event) => onChange(event.target.value)}
      />
      <datalist id={listId}>
        {(rows ?? []).map(({ path }) => (
          <option key={path} value={path} />
        ))}
      </datalist>
    </label>
  );
}
