// The prompt that is being written, of a thread or of one that is about to start: its text, mentioned files, attachments and suggestions.
import type { ContentBlock, Json } from "@signalbox/protocol";
import { type KeyboardEvent, type RefObject, useId, useLayoutEffect, useRef, useState } from "react";
import { useAttempt } from "../../hooks/use-attempt.ts";
import type { Attachment } from "./attachments.tsx";
import { findCompletion, promptBlocks } from "./prompt-text.ts";
import { type FilePlace, type Suggestion, useSuggestions } from "./suggestions.tsx";
import { useAttachments } from "./use-attachments.ts";
import { readDraft, useDraft } from "./use-draft.ts";

interface PromptOptions {
  /** The name of what is kept in the browser until it is sent. */
  readonly draft: string;
  /** Where mentioned files are. */
  readonly folder: string;
  /** Where files are looked for; null where they cannot be. */
  readonly files: FilePlace | null;
  /** The agent's commands, as far as they are known. */
  readonly commands: Json;
  readonly field: RefObject<HTMLTextAreaElement | null>;
}

interface Draft {
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

export type Prompt = ReturnType<typeof usePrompt>;

export function usePrompt({ draft, folder, files, commands, field }: PromptOptions) {
  const [text, setText] = useDraft(draft);
  const [caret, setCaret] = useState(0);
  const [mentions, setMentions] = useState<ReadonlySet<string>>(new Set());
  const [chosen, setChosen] = useState(0);
  /** The text for which the person closed the suggestions. */
  const [closedFor, setClosedFor] = useState<string | null>(null);
  const { attempt, error } = useAttempt();
  const { attachments, setAttachments, attach, remove, onPaste, dropTarget } = useAttachments(attempt);
  const listId = useId();

  const completion = closedFor === text ? null : findCompletion(text, caret);
  const suggestions = useSuggestions(completion, files, commands);
  const hasSuggestions = completion !== null && suggestions.length > 0;
  const selected = Math.min(chosen, suggestions.length - 1);

  // With the text, not a frame later: what is typed meanwhile would stand in the wrong order.
  const caretToSet = useRef<number | null>(null);
  useLayoutEffect(() => {
    const at = caretToSet.current;
    caretToSet.current = null;
    if (at !== null) field.current?.setSelectionRange(at, at);
  });
  const replaceText = (next: string, at = next.length) => {
    setText(next);
    setCaret(at);
    caretToSet.current = at;
  };
  const type = (next: string, at: number) => {
    setText(next);
    setCaret(at);
  };
  const insert = (suggestion: Suggestion) => {
    if (completion === null) return;
    const before = text.slice(0, completion.from) + suggestion.insert;
    if (completion.type === "file") setMentions(new Set([...mentions, suggestion.name]));
    replaceText(before + text.slice(caret).trimStart(), before.length);
    setChosen(0);
  };
  /** True when the key was for the suggestions. */
  const onSuggestionKey = (event: KeyboardEvent): boolean => {
    if (!hasSuggestions) return false;
    const suggestion = suggestions[selected];
    // There is nothing to insert: the command is sent.
    if (event.key === "Enter" && suggestion?.insert.trim() === text.trim()) return false;
    if (event.key === "ArrowDown") setChosen((selected + 1) % suggestions.length);
    else if (event.key === "ArrowUp") setChosen((selected + suggestions.length - 1) % suggestions.length);
    else if ((event.key === "Enter" || event.key === "Tab") && suggestion !== undefined) insert(suggestion);
    else if (event.key === "Escape") setClosedFor(text);
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  const blocks = (): readonly ContentBlock[] =>
    promptBlocks(
      text,
      mentions,
      folder,
      attachments.map(({ block }) => block),
    );
  /** Empties the field, and gives what was in it. */
  const clear = (): Draft => {
    setText("");
    setAttachments([]);
    return { text, attachments };
  };
  /** Puts back what could not be sent, unless the person has started another prompt. */
  const putBack = (typed: Draft) => {
    if (readDraft(draft) === "") setText(typed.text);
    setAttachments((now) => (now.length === 0 ? typed.attachments : now));
  };
  return {
    text,
    isEmpty: text.trim() === "" && attachments.length === 0,
    error,
    listId,
    suggestions,
    hasSuggestions,
    selected,
    attachments,
    attach,
    remove,
    onPaste,
    dropTarget,
    type,
    setCaret,
    replaceText,
    insert,
    onSuggestionKey,
    blocks,
    clear,
    putBack,
  };
}
