// A message on the line: the person's prompt, the agent's text, or a thought.
import { isTextBlock, type MessageRow } from "@signalbox/protocol";
import { memo } from "react";
import { Markdown } from "./markdown.tsx";

export const MessageItem = memo(function MessageItem({ message }: { message: MessageRow }) {
  if (message.role === "user") {
    return (
      <article className="stop you" aria-label="You">
        <div className="bubble">
          {message.content === null
            ? message.text
            : message.content.map((block, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: blocks of a sent prompt never move
                <p key={index}>{isTextBlock(block) ? block.text : `[${block.type}]`}</p>
              ))}
        </div>
      </article>
    );
  }
  if (message.kind === "reason") {
    return (
      <details className="stop text thought">
        <summary>{message.partial ? "Thinking …" : "Thought"}</summary>
        <Markdown text={message.text} />
      </details>
    );
  }
  return (
    <article className="stop text" aria-label="Agent" aria-busy={message.partial}>
      <Markdown text={message.text} />
    </article>
  );
});
