// Chooses whether a new thread works in the folder itself or in a git worktree of its own. Only where the folder is in a repository.

import { useQuery } from "@signalbox/react";
import { useEffect, useState } from "react";
import { CheckBox } from "../shared/check-box.tsx";
import { Icon } from "../shared/icon.tsx";

export interface WorktreeChoice {
  readonly isOn: boolean;
  /** Empty: named after the prompt. */
  readonly branch: string;
}

interface WorktreeFieldProps {
  /** An absolute path; empty while there is none. */
  readonly folder: string;
  readonly value: WorktreeChoice;
  readonly onChange: (choice: WorktreeChoice) => void;
}

/** A folder that is being typed is not asked about. */
const typingMs = 300;

export function WorktreeField({ folder, value, onChange }: WorktreeFieldProps) {
  const settled = useSettled(folder);
  const { rows, isStale, error } = useQuery("git.state", settled.startsWith("/") ? { cwd: settled } : null);
  const isKnown = settled === folder && !isStale;
  const state = isKnown && error === null ? rows?.[0] : undefined;
  const isPossible = state !== undefined && state.head !== null;
  // A folder without a repository has no worktree, whatever was chosen for the one before.
  const isOn = value.isOn && (isPossible || !isKnown);
  useEffect(() => {
    if (isOn !== value.isOn) onChange({ ...value, isOn });
  }, [isOn, value, onChange]);
  if (state === undefined) return null;
  if (!isPossible) return <span className="branch">{state.branch ?? "no commit yet"}</span>;
  return (
    <div className="worktree">
      <span className="branch" title={dirtyText(state.dirty)}>
        <Icon name="branch" /> {state.branch ?? "no branch"}
        {state.dirty > 0 && ` ±${state.dirty}`}
      </span>
      <label className="check">
        <CheckBox
          label={`New worktree from ${state.branch ?? "this commit"}`}
          isOn={isOn}
          onChange={(chosen) => onChange({ ...value, isOn: chosen })}
        />
        <span>New worktree</span>
      </label>
      {isOn && (
        <label>
          Branch
          <input
            value={value.branch}
            placeholder="named after the prompt"
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => onChange({ ...value, branch: event.target.value })}
          />
        </label>
      )}
      {isOn && state.dirty > 0 && (
        <span className="hint">{`${dirtyText(state.dirty)} ${state.dirty === 1 ? "is" : "are"} not included`}</span>
      )}
    </div>
  );
}

function dirtyText(count: number): string {
  return count === 1 ? "1 uncommitted file" : `${count} uncommitted files`;
}

function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), typingMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
