// Where the next prompt is written: Enter sends, Shift+Enter makes a line, Escape stops a running turn, ↑ brings back what was said before.
import type { ContentBlock, ThreadView } from "@signalbox/protocol";
import {
  type ClipboardEvent,
  type DragEvent,
  type FormEvent,
  type KeyboardEvent,
  useId,
  useRef,
  useState,
} from "react";
import { submitPrompt } from "../../connection/submit-prompt.ts";
import { useSignalbox } from "../../hooks/signalbox.tsx";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { useConnectionStatus } from "../../hooks/use-connection-status.ts";
import { useKeys } from "../../hooks/use-keys.ts";
import { type Attachment, Attachments, readAttachment } from "./attachments.tsx";
import { PromptQueue } from "./prompt-queue.tsx";
import { askedAt, promptBlocks } from "./prompt-text.ts";
import { SessionOptions } from "./session-options.tsx";
import { type Suggestion, Suggestions, useSuggestions } from "./suggestions.tsx";
import { useDraft } from "./use-draft.ts";

export function Composer({ view }: { view: ThreadView }) {
  const { thread, state, turns } = view;
  const { connection } = useSignalbox();
  const isOffline = useConnectionStatus() !== "open";
  const [text, setText] = useDraft(thread.id);
  const [caret, setCaret] = useState(0);
  const [attachments, setAttachments] = useState<readonly Attachment[]>([]);
  const [mentions, setMentions] = useState<ReadonlySet<string>>(new Set());
  const [chosen, setChosen] = useState(0);
  const [closedFor, setClosedFor] = useState<string | null>(null);
  const [isDragged, setDragged] = useState(false);
  const { attempt, error } = useAttempt();
  const sending = useAttempt();
  const field = useRef<HTMLTextAreaElement>(null);
  const listId = useId();
  const history = useHistory(view);
  const isBusy = thread.status === "running" || thread.status === "waiting";

  const asked = closedFor === text ? null : askedAt(text, caret);
  const suggestions = useSuggestions(asked, thread.id, state?.available_commands ?? null);
  const isOpen = asked !== null && suggestions.length > 0;
  const selected = Math.min(chosen, suggestions.length - 1);

  const write = (next: string, at = next.length) => {
    setText(next);
    setCaret(at);
    requestAnimationFrame(() => field.current?.setSelectionRange(at, at));
  };
  const take = (suggestion: Suggestion) => {
    if (asked === null) return;
    const before = text.slice(0, asked.from) + suggestion.insert;
    if (asked.type === "file") setMentions(new Set([...mentions, suggestion.name]));
    write(before + text.slice(caret).trimStart(), before.length);
    setChosen(0);
  };
  const send = async () => {
    const blocks: readonly ContentBlock[] = promptBlocks(
      text,
      mentions,
      thread.cwd,
      attachments.map(({ block }) => block),
    );
    if (text.trim() === "" && attachments.length === 0) return;
    const kept = { text, attachments };
    setText("");
    setAttachments([]);
    history.reset();
    // What could not be sent comes back into the field, unless something else was begun meanwhile.
    if (!(await sending.attempt(() => submitPrompt(connection, thread.id, blocks)))) {
      if (field.current?.value === "") setText(kept.text);
      setAttachments((now) => (now.length === 0 ? kept.attachments : now));
    }
  };
  const stop = () => void attempt(() => connection.request({ control: "run.cancel", thread_id: thread.id }));
  const attach = (files: Iterable<File>) =>
    void attempt(async () => {
      const read = await Promise.all([...files].map(readAttachment));
      setAttachments((now) => [...now, ...read]);
    });
  const onPaste = (event: ClipboardEvent) => {
    if (event.clipboardData.files.length === 0) return;
    event.preventDefault();
    attach(event.clipboardData.files);
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setDragged(false);
    attach(event.dataTransfer.files);
  };
  const onSubmit = (event: FormEvent) => {
    event.preventDefault();
    void send();
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.nativeEvent.isComposing) return;
    if (isOpen && onListKey(event)) return;
    if (event.key === "Enter" && !event.shiftKey) onSubmit(event);
    const said = historyKey(event, text, history);
    if (said !== null) {
      event.preventDefault();
      write(said);
    }
  };
  const onListKey = (event: KeyboardEvent): boolean => {
    const suggestion = suggestions[selected];
    if (event.key === "ArrowDown") setChosen((selected + 1) % suggestions.length);
    else if (event.key === "ArrowUp") setChosen((selected + suggestions.length - 1) % suggestions.length);
    else if ((event.key === "Enter" || event.key === "Tab") && suggestion !== undefined) take(suggestion);
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
        (words) =>
          words !== null && (
            <p key={words} role="alert" className="error">
              {words}
            </p>
          ),
      )}
      {sending.isBusy && isOffline && <p className="hint">Kept, and sent when Signalbox is back.</p>}
      <PromptQueue turns={turns} />
      <form
        className="box"
        data-dragged={isDragged || undefined}
        onSubmit={onSubmit}
        onDragOver={(event) => {
          event.preventDefault();
          setDragged(true);
        }}
        onDragLeave={() => setDragged(false)}
        onDrop={onDrop}
      >
        {isOpen && <Suggestions id={listId} suggestions={suggestions} chosen={selected} onTake={take} />}
        <Attachments
          attachments={attachments}
          onRemove={(id) => setAttachments((now) => now.filter((attachment) => attachment.id !== id))}
        />
        <textarea
          ref={field}
          aria-label="Prompt"
          placeholder="Reply, or / for commands, @ for files"
          aria-haspopup="listbox"
          aria-controls={isOpen ? listId : undefined}
          aria-activedescendant={isOpen ? `${listId}-${selected}` : undefined}
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
            <button type="submit" className="send" disabled={text.trim() === "" && attachments.length === 0}>
              {isBusy ? "Queue" : "Send"}
            </button>
          </span>
        </div>
      </form>
    </footer>
  );
}

interface History {
  readonly older: () => string | null;
  readonly newer: () => string | null;
  readonly reset: () => void;
  /** The field shows an entry as it was: arrows go on from there. */
  readonly isShowing: (text: string) => boolean;
}

/** What the person said before in this thread, newest first. */
function useHistory({ timeline }: ThreadView): History {
  const at = useRef(-1);
  const said = () =>
    timeline.flatMap((item) => (item.type === "message" && item.role === "user" ? [item.text] : [])).toReversed();
  const move = (step: 1 | -1) => {
    const all = said();
    const next = at.current + step;
    if (next >= all.length || next < -1) return null;
    at.current = next;
    return next === -1 ? "" : (all[next] ?? null);
  };
  return {
    older: () => move(1),
    newer: () => move(-1),
    reset: () => {
      at.current = -1;
    },
    isShowing: (text) => at.current >= 0 && said()[at.current] === text,
  };
}

/** Arrow keys go through the history only from an empty field or from within it, so that they still move in a text. */
function historyKey(event: KeyboardEvent<HTMLTextAreaElement>, text: string, history: History): string | null {
  const { selectionStart, selectionEnd } = event.currentTarget;
  const isPlain = !event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey;
  if (!isPlain || selectionStart !== selectionEnd) return null;
  if (event.key === "ArrowUp" && (text === "" || history.isShowing(text))) return history.older();
  if (event.key === "ArrowDown" && history.isShowing(text)) return history.newer();
  return null;
}
