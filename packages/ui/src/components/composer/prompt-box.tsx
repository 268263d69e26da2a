// The field for a prompt, in a thread and at the start: text, @ files, / commands, files that are attached, pasted or dropped. Enter sends,
// Shift+Enter starts a new line.
import { type FormEvent, type KeyboardEvent, type ReactNode, type RefObject, useEffect } from "react";
import { focusNewPrompt } from "../../stores/prompt-focus.ts";
import { Icon } from "../shared/icon.tsx";
import { Attachments } from "./attachments.tsx";
import { Suggestions } from "./suggestions.tsx";
import type { Prompt } from "./use-prompt.ts";

interface PromptBoxProps {
  readonly prompt: Prompt;
  readonly field: RefObject<HTMLTextAreaElement | null>;
  readonly label: string;
  readonly placeholder: string;
  readonly rows: number;
  readonly onSubmit: () => void;
  /** Keys before Enter is looked at; true when it took the key. */
  readonly onKey?: (event: KeyboardEvent<HTMLTextAreaElement>) => boolean;
  /** Below the text: who does it, and how. */
  readonly options: ReactNode;
  readonly actions: ReactNode;
  /** Under everything: where it runs. */
  readonly below?: ReactNode;
}

export function PromptBox(props: PromptBoxProps) {
  const { prompt, field, label, placeholder, rows, onSubmit, onKey, options, actions, below } = props;
  const { hasSuggestions, listId, selected } = prompt;
  useEffect(focusNewPrompt, []);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onSubmit();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing || prompt.onSuggestionKey(event) || onKey?.(event) === true) return;
    if (event.key === "Enter" && !event.shiftKey) submit(event);
  };
  return (
    <form className="box" onSubmit={submit} {...prompt.dropTarget}>
      {hasSuggestions && (
        <Suggestions id={listId} suggestions={prompt.suggestions} chosen={selected} onChoose={prompt.insert} />
      )}
      <Attachments attachments={prompt.attachments} onRemove={prompt.remove} />
      <textarea
        ref={field}
        data-prompt
        aria-label={label}
        placeholder={placeholder}
        aria-haspopup="listbox"
        aria-controls={hasSuggestions ? listId : undefined}
        aria-activedescendant={hasSuggestions ? `${listId}-${selected}` : undefined}
        aria-autocomplete="list"
        rows={rows}
        value={prompt.text}
        dir="auto"
        onChange={(event) => prompt.type(event.target.value, event.target.selectionStart)}
        onSelect={(event) => prompt.setCaret(event.currentTarget.selectionStart)}
        onPaste={prompt.onPaste}
        onKeyDown={onKeyDown}
      />
      <div className="row">
        <label className="icon-button attach" title="Attach">
          <Icon name="attach" />
          <span className="visually-hidden">Attach</span>
          <input
            type="file"
            multiple
            className="visually-hidden"
            onChange={(event) => {
              prompt.attach(event.target.files ?? []);
              event.target.value = "";
            }}
          />
        </label>
        {options}
        <span className="row-end">{actions}</span>
      </div>
      {below}
    </form>
  );
}
