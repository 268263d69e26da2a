// Shows a message: the person's prompt, the agent's text, a thought, or a notice.
import { duration, isTextBlock, type MessageRow } from "@signalbox/protocol";
import { memo } from "react";
import { useOpen } from "../../hooks/use-open.ts";
import { BlobText } from "../shared/blob-text.tsx";
import { ContentBlockView } from "../shared/content-block.tsx";
import { Markdown } from "./markdown.tsx";
import { MessageActions } from "./message-actions.tsx";
import { PromptActions } from "./prompt-actions.tsx";

/** A longer prompt is folded. */
const maxLines = 24;
const maxLength = 4000;

export const MessageItem = memo(function MessageItem({ message }: { message: MessageRow }) {
  if (message.role === "user") {
    return (
      <article className="entry you" aria-label="You">
        <Prompt message={message} />
        <PromptActions message={message} />
      </article>
    );
  }
  if (message.kind === "reason") return <Thought message={message} />;
  if (message.kind === "notice") {
    return (
      <article className="entry text notice-of-agent" aria-label="Notice">
        <MessageText message={message} />
      </article>
    );
  }
  const isOfSubAgent = typeof message.parent_tool_call_id === "string";
  return (
    <article className="entry text" aria-label={isOfSubAgent ? "Sub-agent" : "Agent"} aria-busy={message.partial}>
      <MessageContent message={message} />
      {!isOfSubAgent && <MessageActions message={message} />}
    </article>
  );
});

/** Text, pictures and other blocks in the order in which the agent sent them. */
function MessageContent({ message }: { message: MessageRow }) {
  if (message.content === null) return <MessageText message={message} />;
  const isInFull = message.text_ref === null || message.text.length >= message.text_len;
  const blocks = isInFull ? message.content : message.content.filter((block) => !isTextBlock(block));
  return (
    <>
      {!isInFull && <MessageText message={message} />}
      {blocks.map((block, index) =>
        isTextBlock(block) ? (
          <Markdown key={index} text={block.text} />
        ) : (
          <ContentBlockView key={index} block={block} />
        ),
      )}
    </>
  );
}

/** Of a long prompt the first lines; the rest is folded, though a search still finds it. */
function Prompt({ message }: { message: MessageRow }) {
  const { text, content } = message;
  const lines = text.split("\n").length;
  const isLong = lines > maxLines || text.length > maxLength;
  const [isOpen, toggle] = useOpen(`${message.thread_id} ${message.seq}`, !isLong);
  return (
    <>
      <div className="bubble" dir="auto" data-folded={!isOpen || undefined}>
        {content === null
          ? text
          : content.map((block, index) =>
              isTextBlock(block) ? (
                <span key={index}>{block.text}</span>
              ) : (
                <ContentBlockView key={index} block={block} />
              ),
            )}
      </div>
      {isLong && (
        <button type="button" className="fold" aria-expanded={isOpen} onClick={toggle}>
          {isOpen ? "Show less" : lines > 1 ? `Show all ${lines.toLocaleString("en")} lines` : "Show all"}
        </button>
      )}
    </>
  );
}

function Thought({ message }: { message: MessageRow }) {
  const [isOpen, toggle] = useOpen(`${message.thread_id} ${message.seq}`, false);
  const time = message.updated_at - message.created_at;
  const label = message.partial ? "Thinking …" : time > 950 ? `Thought for ${duration(time)}` : "Thought";
  return (
    <article className="entry text thought" aria-label="Thought">
      <button type="button" className="fold" aria-expanded={isOpen} onClick={toggle}>
        {label}
      </button>
      {isOpen && <MessageText message={message} />}
    </article>
  );
}

/** Of a very long message only the beginning is sent; the rest loads on a click. */
function MessageText({ message }: { message: MessageRow }) {
  if (message.text_ref !== null && message.text.length < message.text_len) {
    return <BlobText preview={message.text} blob={message.text_ref} />;
  }
  return <Markdown text={message.text} />;
}
