// Brings back earlier prompts of this thread with ↑ and ↓, newest first.
import type { ThreadView } from "@signalbox/protocol";
import { type KeyboardEvent, useRef } from "react";

interface PromptHistory {
  /** The prompt that the key leads to; null when the key keeps its usual meaning. */
  readonly findPrompt: (event: KeyboardEvent<HTMLTextAreaElement>, text: string) => string | null;
  readonly reset: () => void;
}

export function usePromptHistory({ timeline }: ThreadView): PromptHistory {
  const position = useRef(-1);
  const prompts = () =>
    timeline.flatMap((item) => (item.type === "message" && item.role === "user" ? [item.text] : [])).toReversed();
  const move = (step: 1 | -1) => {
    const all = prompts();
    const next = position.current + step;
    if (next >= all.length || next < -1) return null;
    position.current = next;
    return next === -1 ? "" : (all[next] ?? null);
  };
  /** Arrow keys go through the history only from an empty field or an unchanged earlier prompt; otherwise they move the caret. */
  const findPrompt = (event: KeyboardEvent<HTMLTextAreaElement>, text: string) => {
    const { selectionStart, selectionEnd } = event.currentTarget;
    const isPlain = !event.shiftKey && !event.altKey && !event.ctrlKey && !event.metaKey;
    if (!isPlain || selectionStart !== selectionEnd) return null;
    const showsEarlier = position.current >= 0 && prompts()[position.current] === text;
    if (event.key === "ArrowUp" && (text === "" || showsEarlier)) return move(1);
    if (event.key === "ArrowDown" && showsEarlier) return move(-1);
    return null;
  };
  const reset = () => {
    position.current = -1;
  };
  return { findPrompt, reset };
}
