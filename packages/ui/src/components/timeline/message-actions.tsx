// Actions on an agent's answer: copy it, or quote it in the next prompt.
import type { MessageRow } from "@signalbox/protocol";
import { useRef } from "react";
import { quoteInDraft } from "../../stores/draft-additions.ts";
import { CopyButton } from "../shared/copy-button.tsx";
import { Icon } from "../shared/icon.tsx";

export function MessageActions({ message }: { message: MessageRow }) {
  const frame = useRef<HTMLDivElement>(null);
  // Of a text that is not here whole, only a part would be copied.
  if (message.partial || message.text === "" || message.text.length < message.text_len) return null;
  return (
    <div className="message-actions" ref={frame}>
      <button
        type="button"
        className="copy"
        aria-label="Quote"
        title="Quote the selected text, or all of it, in the next prompt"
        // Otherwise the selection is gone before the click.
        onPointerDown={(event) => event.preventDefault()}
        onClick={() => {
          quoteInDraft(message.thread_id, readSelection(frame.current?.parentElement) ?? message.text);
          frame.current?.closest(".thread-main")?.querySelector<HTMLElement>(".composer textarea")?.focus();
        }}
      >
        <Icon name="quote" />
      </button>
      <CopyButton text={message.text} isIcon />
    </div>
  );
}

/** The text that is selected in an element; null when none is. */
function readSelection(element: Element | null | undefined): string | null {
  const selection = getSelection();
  const text = selection?.toString().trim() ?? "";
  const node = selection?.anchorNode ?? null;
  return text !== "" && node !== null && element?.contains(node) === true ? text : null;
}
