// The folder of a new thread: recent folders when it gets the focus, existing ones that begin like the text while one types. `~` is the home folder.
import { useQuery, useThreads } from "@signalbox/react";
import { type KeyboardEvent, useId, useMemo, useState } from "react";
import { fromHome, toAbsolute } from "../../text/paths.ts";

interface FolderFieldProps {
  readonly label?: string;
  readonly value: string;
  readonly onChange: (folder: string) => void;
  readonly onFocus?: () => void;
  readonly onBlur?: () => void;
  /** This machine's home folder; null until it is known. */
  readonly home: string | null;
  /** The folders of another machine, as far as they are known; null for this machine, which is asked. */
  readonly known: readonly string[] | null;
}

const maxFolders = 8;

export function FolderField({ label = "Folder", value, onChange, onFocus, onBlur, home, known }: FolderFieldProps) {
  const listId = useId();
  /** `recent`: opened and not typed in yet. */
  const [list, setList] = useState<"closed" | "recent" | "typed">("closed");
  const [chosen, setChosen] = useState(-1);
  const recent = useRecentFolders(known);
  const absolute = toAbsolute(value, home);
  const asks = known === null && list === "typed" && absolute.startsWith("/");
  const { rows, isStale } = useQuery("folders.complete", asks ? { prefix: absolute } : null);
  // Of an earlier answer, those that still fit: a list that closes with each letter could not be used by key.
  const begun = (rows ?? []).map(({ path }) => path).filter((path) => !isStale || path.startsWith(absolute));
  const typed = asks ? begun : recent.filter((path) => path.includes(value));
  const folders = (list === "typed" ? typed : recent).slice(0, maxFolders);
  const isComplete = folders.length === 1 && folders[0] === absolute;
  const isOpen = list !== "closed" && folders.length > 0 && !isComplete;
  const selected = Math.min(chosen, folders.length - 1);
  const close = () => {
    setList("closed");
    setChosen(-1);
  };
  const choose = (path: string) => {
    onChange(fromHome(path, known === null ? home : null));
    close();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const folder = folders[selected];
    if (event.key === "ArrowDown" && !isOpen) setList("recent");
    else if (!isOpen) return;
    else if (event.key === "ArrowDown") setChosen((selected + 1) % folders.length);
    else if (event.key === "ArrowUp") setChosen((selected + folders.length - 1) % folders.length);
    else if ((event.key === "Enter" || event.key === "Tab") && folder !== undefined) choose(folder);
    else if (event.key === "Escape") close();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div className="folder-field">
      <label className="grow">
        {label}
        <input
          role="combobox"
          aria-label={label}
          aria-expanded={isOpen}
          aria-controls={listId}
          aria-activedescendant={isOpen && selected >= 0 ? `${listId}-${selected}` : undefined}
          aria-autocomplete="list"
          value={value}
          placeholder="~/project"
          spellCheck={false}
          autoComplete="off"
          onClick={() => setList(list === "closed" ? "recent" : list)}
          onChange={(event) => {
            onChange(event.target.value);
            setList("typed");
            setChosen(-1);
          }}
          onFocus={onFocus}
          onBlur={() => {
            close();
            onBlur?.();
          }}
          onKeyDown={onKeyDown}
        />
      </label>
      {isOpen && (
        <div className="suggestions" role="listbox" id={listId} aria-label={list === "typed" ? "Folders" : "Recent"}>
          {folders.map((path, index) => (
            <div
              key={path}
              id={`${listId}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === selected}
              // On mouse down, before the field loses the focus.
              onMouseDown={(event) => {
                event.preventDefault();
                choose(path);
              }}
            >
              <b>
                <bdi>{fromHome(path, home)}</bdi>
              </b>
            </div>
          ))}
        </div>
      )}
    </div>
  );
}

/** The folders of threads, the latest first, then those of older threads that are not loaded. */
function useRecentFolders(known: readonly string[] | null): readonly string[] {
  const threads = useThreads();
  const { rows } = useQuery("facets.list", known === null ? {} : null);
  return useMemo(() => {
    if (known !== null) return known;
    const latest = (threads ?? []).map((thread) => thread.git?.project ?? thread.cwd);
    const older = (rows ?? []).flatMap(({ facet, value }) => (facet === "cwd" ? [value] : []));
    return [...new Set([...latest, ...older])];
  }, [known, threads, rows]);
}
