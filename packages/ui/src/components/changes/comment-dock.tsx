// The comments that were not sent yet, at the bottom of the view: sends them to the agent as one prompt.

import type { ThreadRow } from "@signalbox/protocol";
import { submitPrompt, useAgentLabel, useStore } from "@signalbox/react";
import { useState } from "react";
import { useSignalbox } from "../../hooks/signalbox.ts";
import { useAttempt } from "../../hooks/use-attempt.ts";
import { go } from "../../hooks/use-route.ts";
import { lineComments, removeComments, selectComments } from "../../stores/line-comments.ts";
import { viewOfThread } from "../../stores/panes.ts";
import { composeCommentPrompt, formatLines } from "../../text/comment-prompt.ts";
import { ErrorText } from "../shared/error-text.tsx";

export function CommentDock({ thread }: { thread: ThreadRow }) {
  const [words, setWords] = useState("");
  const agent = useAgentLabel()(thread.agent_id);
  const { connection } = useSignalbox();
  const { attempt, error, isBusy } = useAttempt();
  const comments = selectComments(useStore(lineComments), thread.id);
  if (comments.length === 0) return null;
  const label = `${comments.length} ${comments.length === 1 ? "comment" : "comments"}`;
  const send = async () => {
    const prompt = [{ type: "text" as const, text: composeCommentPrompt(comments, words) }];
    if (!(await attempt(() => submitPrompt(connection, thread.id, prompt)))) return;
    removeComments(thread.id);
    setWords("");
    go(viewOfThread(thread.id));
  };
  return (
    <div className="comment-dock" role="region" aria-label="Comments that are not sent yet">
      <strong>{label}</strong>
      <span className="hint">{comments.map((comment) => `${comment.path}:${formatLines(comment)}`).join(", ")}</span>
      <input
        aria-label="Say more about these changes"
        placeholder="Say more about these changes"
        value={words}
        onChange={(event) => setWords(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter" && event.altKey) void send();
        }}
      />
      <ErrorText error={error} isInline />
      <button type="button" className="quiet" onClick={() => removeComments(thread.id)}>
        Discard
      </button>
      <button type="button" className="button primary" disabled={isBusy} onClick={() => void send()}>
        {isBusy ? "Sending …" : `Send to ${agent}`}
      </button>
    </div>
  );
}
