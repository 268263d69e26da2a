// Suggests files after @ and commands after /. Arrow keys choose, Enter or Tab inserts (Enter sends a command that is written out), Escape closes.

import { isJsonObject, type Json, type QueryArgs, readText } from "@signalbox/protocol";
import { useQuery } from "@signalbox/react";
import { useMemo } from "react";
import { fuzzyFilter } from "../../text/fuzzy.ts";
import type { Completion } from "./prompt-text.ts";

export interface Suggestion {
  readonly name: string;
  readonly hint: string;
  /** The text to insert. */
  readonly insert: string;
}

/** A thread, or a folder. */
export type FilePlace = Omit<QueryArgs<"files.find">, "query">;

const maxSuggestions = 8;

export function useSuggestions(
  completion: Completion | null,
  files: FilePlace | null,
  commands: Json,
): readonly Suggestion[] {
  const args = completion?.type === "file" && files !== null ? { ...files, query: completion.typed } : null;
  const { rows, isStale } = useQuery("files.find", args);
  return useMemo(() => {
    if (completion === null) return [];
    if (completion.type === "command") return suggestCommands(commands, completion.typed);
    // Of an earlier answer, those that still fit: Enter inserts what is there.
    const found = isStale ? fuzzyFilter(completion.typed, rows ?? [], ({ name }) => name) : (rows ?? []);
    return found.slice(0, maxSuggestions).map(({ name }) => ({ name, hint: "", insert: `@${name} ` }));
  }, [completion, rows, isStale, commands]);
}

function suggestCommands(commands: Json, typed: string): readonly Suggestion[] {
  const known = (Array.isArray(commands) ? commands : []).flatMap((command): Suggestion[] => {
    if (!isJsonObject(command) || typeof command.name !== "string") return [];
    const input = readText(command.input, "hint") ?? "";
    const description = typeof command.description === "string" ? command.description : "";
    const hint = [input === "" ? "" : `‹${input}›`, description].filter((part) => part !== "").join("  ");
    return [{ name: `/${command.name}`, hint, insert: `/${command.name} ` }];
  });
  return fuzzyFilter(typed, known, (command) => command.name).slice(0, maxSuggestions);
}

export function Suggestions({
  id,
  suggestions,
  chosen,
  onChoose,
}: {
  id: string;
  suggestions: readonly Suggestion[];
  chosen: number;
  onChoose: (suggestion: Suggestion) => void;
}) {
  return (
    <div className="suggestions" role="listbox" id={id} aria-label="Suggestions">
      {suggestions.map((suggestion, index) => (
        <div
          key={suggestion.name}
          id={`${id}-${index}`}
          role="option"
          tabIndex={-1}
          aria-selected={index === chosen}
          // On mouse down, before the field loses the focus.
          onMouseDown={(event) => {
            event.preventDefault();
            onChoose(suggestion);
          }}
        >
          <b>{suggestion.name}</b>
          <small>{suggestion.hint}</small>
        </div>
      ))}
    </div>
  );
}
