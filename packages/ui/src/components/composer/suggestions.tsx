// What fits the word that is being typed: files after @, commands after /. Arrow keys choose, Enter or Tab takes, Escape closes.
import { isJsonObject, type Json } from "@signalbox/protocol";
import { useMemo } from "react";
import { useQuery } from "../../hooks/use-query.ts";
import { fuzzyFilter } from "../../text/fuzzy.ts";
import type { Asked } from "./prompt-text.ts";

export interface Suggestion {
  readonly name: string;
  readonly hint: string;
  /** What stands in the text when it is taken. */
  readonly insert: string;
}

const most = 8;

export function useSuggestions(asked: Asked | null, threadId: string, commands: Json): readonly Suggestion[] {
  const isFile = asked?.type === "file";
  const args = isFile ? { thread_id: threadId, query: asked.typed } : null;
  const { rows } = useQuery("files.find", args);
  return useMemo(() => {
    if (asked === null) return [];
    if (asked.type === "command") return commandsOf(commands, asked.typed);
    return (rows ?? []).slice(0, most).map(({ name }) => ({ name, hint: "", insert: `@${name} ` }));
  }, [asked, rows, commands]);
}

function commandsOf(commands: Json, typed: string): readonly Suggestion[] {
  const known = (Array.isArray(commands) ? commands : []).flatMap((command): Suggestion[] => {
    if (!isJsonObject(command) || typeof command.name !== "string") return [];
    const input = isJsonObject(command.input) && typeof command.input.hint === "string" ? command.input.hint : "";
    const description = typeof command.description === "string" ? command.description : "";
    const hint = [input === "" ? "" : `‹${input}›`, description].filter((part) => part !== "").join("  ");
    return [{ name: `/${command.name}`, hint, insert: `/${command.name} ` }];
  });
  return fuzzyFilter(typed, known, (command) => command.name).slice(0, most);
}

export function Suggestions({
  id,
  suggestions,
  chosen,
  onTake,
}: {
  id: string;
  suggestions: readonly Suggestion[];
  chosen: number;
  onTake: (suggestion: Suggestion) => void;
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
          // Before the field loses the focus.
          onMouseDown={(event) => {
            event.preventDefault();
            onTake(suggestion);
          }}
        >
          <b>{suggestion.name}</b>
          <small>{suggestion.hint}</small>
        </div>
      ))}
    </div>
  );
}
