// The field for the next prompt of a thread: Enter sends, Escape twice stops a running turn, ↑ brings back earlier prompts.

import type { ThreadView } from "@signalbox/protocol";
import { submitPrompt, useConnectionStatus } from "@signalbox/react";
import { type KeyboardEvent, useRef, useState } from "react";
import { useSignalbox } from "../../hooks/signalbox.ts";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { useKeys } from "../../hooks/use-keys.ts";
import { focusCard } from "../permission/focus-card.ts";
import { isAtWork } from "../threads/thread-actions.ts";
import { PromptBox } from "./prompt-box.tsx";
import { PromptQueue } from "./prompt-queue.tsx";
import { SessionOptions } from "./session-options.tsx";
import { usePrompt } from "./use-prompt.ts";
import { usePromptHistory } from "./use-prompt-history.ts";
import { useStopKey } from "./use-stop-key.ts";

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
  const field = useRef<HTMLTextAreaElement>(null);
  const prompt = usePrompt({
    field,
    draft: thread.id,
    folder: thread.cwd,
    files: { thread_id: thread.id },
    commands: state?.available_commands ?? null,
  });
  const { attempt, error } = useAttempt();
  const sending = useAttempt();
  /** The outcome of the last text that was sent into a running turn. */
  const [sent, setSent] = useState<keyof typeof steerResults | null>(null);
  const [once, setOnce] = useState("");
  const history = usePromptHistory(view);
  const isBusy = isAtWork(thread.status);
  const canSteer = isBusy && state?.steering === true;
  const { isEmpty } = prompt;

  const send = async (steers = false) => {
    if (isEmpty) return;
    setSent(null);
    const blocks = prompt.blocks();
    const typed = prompt.clear();
    history.reset();
    const submit = async () => {
      const model = once === "" ? undefined : once;
      const isSteered = await submitPrompt(connection, thread.id, blocks, { steers, model });
      setOnce("");
      if (steers) setSent(isSteered ? "steered" : "queued");
    };
    if (!(await sending.attempt(submit))) prompt.putBack(typed);
  };
  const stop = () => void attempt(() => connection.request("run.cancel", { thread_id: thread.id }));
  const onKey = (event: KeyboardEvent<HTMLTextAreaElement>): boolean => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && canSteer) {
      event.preventDefault();
      void send(true);
      return true;
    }
    const earlier = history.findPrompt(event, prompt.text);
    if (earlier === null) return false;
    event.preventDefault();
    prompt.replaceText(earlier);
    return true;
  };
  const { isStopAsked, onEscape } = useStopKey(isBusy, stop);
  useKeys({
    Escape: () => {
      if (isBusy) onEscape();
      else if (document.activeElement !== field.current) field.current?.focus();
      else field.current?.closest(".pane")?.querySelector<HTMLElement>(".timeline")?.focus();
    },
    "alt+ArrowUp": focusCard,
  });

  return (
    <footer className="composer">
      {[error, prompt.error, sending.error].map(
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
      {isStopAsked && (
        <p className="hint stop-hint" role="status">
          Press Esc again to stop
        </p>
      )}
      <PromptQueue turns={turns} />
      <PromptBox
        prompt={prompt}
        field={field}
        label="Prompt"
        placeholder="Reply; / for commands, @ for files"
        rows={2}
        onSubmit={() => void send()}
        onKey={onKey}
        options={<SessionOptions thread={thread} state={state} once={once} onOnce={setOnce} />}
        actions={
          <>
            {isBusy && (
              <button type="button" className="quiet stop-button" onClick={stop}>
                Stop <kbd>Esc Esc</kbd>
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
            <button
              type="submit"
              className="button primary"
              disabled={isEmpty}
              title={isBusy ? queueTitle(canSteer) : undefined}
            >
              {isBusy ? "Queue" : "Send"}
            </button>
          </>
        }
      />
    </footer>
  );
}
