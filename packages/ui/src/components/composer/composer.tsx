// The field for the next prompt: Enter sends, Shift+Enter starts a new line, Escape stops a running turn, ↑ brings back earlier prompts.
import type { ThreadView } from "@signalbox/protocol";
import { type FormEvent, type KeyboardEvent, useId, useRef, useState } from "react";
import { submitPrompt } from "../../connection/submit-prompt.ts";
import { useSignalbox } from "../../hooks/signalbox.tsx";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { useConnectionStatus } from "../../hooks/use-connection-status.ts";
import { useKeys } from "../../hooks/use-keys.ts";
import { Attachments } from "./attachments.tsx";
import { PromptQueue } from "./prompt-queue.tsx";
import { completionAt, promptBlocks } from "./prompt-text.ts";
import { SessionOptions } from "./session-options.tsx";
import { type Suggestion, Suggestions, useSuggestions } from "./suggestions.tsx";
import { useAttachments } from "./use-attachments.ts";
import { useDraft } from "./use-draft.ts";
import { usePromptHistory } from "./use-prompt-history.ts";

const steerResults = {
  steered: "Sent into the running turn: the agent reads it at its next step.",
  queued: "The agent did not take it into this turn. It is queued and runs next.",
} as const;

function queueTitle(canSteer: boolean): string {
  return canSteer ? "After this turn (Enter)" : "After this turn: this agent takes no text while it works";
}

export function Composer({ view }: { view: ThreadView }) {
  const { thread, state, turns } = view;
  const { connection } = useSignalbox();
  const isOffline = useConnectionStatus() !== "open";
  const [text, setText] = useDraft(thread.id);
  const [caret, setCaret] = useState(0);
  const [mentions, setMentions] = useState<ReadonlySet<string>>(new Set());
  const [chosen, setChosen] = useState(0);
  /** The text for which the person closed the suggestions. */
  const [closedFor, setClosedFor] = useState<string | null>(null);
  const { attempt, error } = useAttempt();
  const sending = useAttempt();
  /** What became of the text that was last sent into a running turn. */
  const [sent, setSent] = useState<keyof typeof steerResults | null>(null);
  const { attachments, setAttachments, attach, remove, onPaste, dropTarget } = useAttachments(attempt);
  const history = usePromptHistory(view);
  const field = useRef<HTMLTextAreaElement>(null);
  const listId = useId();
  const isBusy = thread.status === "running" || thread.status === "waiting";
  const canSteer = isBusy && state?.steering === true;
  const isEmpty = text.trim() === "" && attachments.length === 0;

  const completion = closedFor === text ? null : completionAt(text, caret);
  const suggestions = useSuggestions(completion, thread.id, state?.available_commands ?? null);
  const hasSuggestions = completion !== null && suggestions.length > 0;
  const selected = Math.min(chosen, suggestions.length - 1);

  const replaceText = (next: string, at = next.length) => {
    setText(next);
    setCaret(at);
    requestAnimationFrame(() => field.current?.setSelectionRange(at, at));
  };
  const insert = (suggestion: Suggestion) => {
    if (completion === null) return;
    const before = text.slice(0, completion.from) + suggestion.insert;
    if (completion.type === "file") setMentions(new Set([...mentions, suggestion.name]));
    replaceText(before + text.slice(caret).trimStart(), before.length);
    setChosen(0);
  };
  const send = async (steers = false) => {
    if (isEmpty) return;
    setSent(null);
    const blocks = promptBlocks(
      text,
      mentions,
      thread.cwd,
      attachments.map(({ block }) => block),
    );
    const typed = { text, attachments };
    setText("");
    setAttachments([]);
    history.reset();
    // A prompt that could not be sent returns to the field, unless the person has started another one.
    const submit = async () => {
      const isSteered = await submitPrompt(connection, thread.id, blocks, steers);
      if (steers) setSent(isSteered ? "steered" : "queued");
    };
    if (!(await sending.attempt(submit))) {
      if (field.current?.value === "") setText(typed.text);
      setAttachments((now) => (now.length === 0 ? typed.attachments : now));
    }
  };
  const stop = () => void attempt(() => connection.request({ control: "run.cancel", thread_id: thread.id }));
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void send();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return;
    if (hasSuggestions && onSuggestionKey(event)) return;
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && canSteer) {
      event.preventDefault();
      void send(true);
    } else if (event.key === "Enter" && !event.shiftKey) onSubmit(event);
    const earlier = history.promptFor(event, text);
    if (earlier === null) return;
    event.preventDefault();
    replaceText(earlier);
  };
  const onSuggestionKey = (event: KeyboardEvent): boolean => {
    const suggestion = suggestions[selected];
    if (event.key === "ArrowDown") setChosen((selected + 1) % suggestions.length);
    else if (event.key === "ArrowUp") setChosen((selected + suggestions.length - 1) % suggestions.length);
    else if ((event.key === "Enter" || event.key === "Tab") && suggestion !== undefined) insert(suggestion);
    else if (event.key === "Escape") setClosedFor(text);
    else return false;
    event.preventDefault();
    event.stopPropagation();
    return true;
  };
  useKeys({ Escape: () => (isBusy ? stop() : field.current?.blur()), i: () => field.current?.focus() });

  return (
    <footer className="composer">
      {[error, sending.error].map(
        (message) =>
          message !== null && (
            <p key={message} role="alert" className="error">
              {message}
            </p>
          ),
      )}
      {sending.isBusy && isOffline && <p className="hint">Saved. Will be sent when reconnected.</p>}
      {sent !== null && isBusy && (
        <p className="hint" role="status">
          {steerResults[sent]}
        </p>
      )}
      <PromptQueue turns={turns} />
      <form className="box" onSubmit={onSubmit} {...dropTarget}>
        {hasSuggestions && <Suggestions id={listId} suggestions={suggestions} chosen={selected} onChoose={insert} />}
        <Attachments attachments={attachments} onRemove={remove} />
        <textarea
          ref={field}
          aria-label="Prompt"
          placeholder="Reply; / for commands, @ for files"
          aria-haspopup="listbox"
          aria-controls={hasSuggestions ? listId : undefined}
          aria-activedescendant={hasSuggestions ? `${listId}-${selected}` : undefined}
          aria-autocomplete="list"
          rows={2}
          value={text}
          dir="auto"
          onChange={(event) => {
            setText(event.target.value);
            setCaret(event.target.selectionStart);
          }}
          onSelect={(event) => setCaret(event.currentTarget.selectionStart)}
          onPaste={onPaste}
          onKeyDown={onKeyDown}
        />
        <div className="row">
          <SessionOptions threadId={thread.id} state={state} />
          <label className="quiet attach">
            Attach
            <input
              type="file"
              multiple
              className="visually-hidden"
              onChange={(event) => {
                attach(event.target.files ?? []);
                event.target.value = "";
              }}
            />
          </label>
          <span className="row-end">
            {isBusy && (
              <button type="button" className="stop-button" onClick={stop}>
                Stop <kbd>Esc</kbd>
              </button>
            )}
            {canSteer && (
              <button
                type="button"
                className="button"
                disabled={isEmpty}
                title="Into the running turn (Ctrl+Enter)"
                onClick={() => void send(true)}
              >
                Steer
              </button>
            )}
            <button type="submit" className="send" disabled={isEmpty} title={isBusy ? queueTitle(canSteer) : undefined}>
              {isBusy ? "Queue" : "Send"}
            </button>
          </span>
        </div>
      </form>
    </footer>
  );
}
