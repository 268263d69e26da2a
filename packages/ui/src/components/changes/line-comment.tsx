// Comments on lines of a change: a button at each line, the field for a comment below it, and the comments that wait to be sent.

import type { Hunk } from "@signalbox/protocol";
import { useStore } from "@signalbox/react";
import { type ReactNode, useMemo, useRef, useState } from "react";
import { lineComments, selectComments, setComment } from "../../stores/line-comments.ts";
import { formatLines, type LineComment } from "../../text/comment-prompt.ts";
import type { DiffTools } from "../diff/diff-view.tsx";
import { selectField } from "../shared/focus-field.ts";
import { Icon } from "../shared/icon.tsx";

export function useLineTools(threadId: string, path: string, onRestore: ((hunk: Hunk) => void) | null): DiffTools {
  const all = useStore(lineComments);
  const [open, setOpen] = useState<{ readonly from?: number; readonly line: number; readonly quote: string } | null>(
    null,
  );
  const pressed = useRef<number | null>(null);
  return useMemo(() => {
    const here = selectComments(all, threadId).filter((comment) => comment.path === path);
    const close = () => setOpen(null);
    return {
      onLine: (line: number, quote: string) => setOpen({ line, quote }),
      onPress: (line: number) => {
        pressed.current = line;
      },
      onRelease: (line: number, quote: string) => {
        const from = pressed.current;
        pressed.current = null;
        if (from !== null && from < line) setOpen({ from, line, quote });
      },
      below: (line: number): ReactNode => {
        const comment = here.find((each) => each.line === line);
        if (open?.line === line) {
          return (
            <CommentField
              initial={comment?.text ?? ""}
              lines={formatLines(open)}
              onClose={close}
              onSave={(text) => {
                setComment(threadId, { path, ...open, text });
                close();
              }}
            />
          );
        }
        if (comment === undefined) return null;
        return <Comment comment={comment} threadId={threadId} onEdit={() => setOpen(comment)} />;
      },
      hunkEnd: (hunk: Hunk): ReactNode =>
        onRestore === null ? null : (
          <button type="button" className="copy" onClick={() => onRestore(hunk)}>
            <Icon name="undo" isSmall /> Undo hunk
          </button>
        ),
    };
    // `onRestore` is a new function with every render, and does the same.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [all, threadId, path, open, onRestore === null]);
}

interface CommentFieldProps {
  readonly initial: string;
  /** "10" or "8-10". */
  readonly lines: string;
  readonly onSave: (text: string) => void;
  readonly onClose: () => void;
}

function CommentField({ initial, lines, onSave, onClose }: CommentFieldProps) {
  const [text, setText] = useState(initial);
  return (
    <form
      className="line-comment"
      onSubmit={(event) => {
        event.preventDefault();
        onSave(text);
      }}
    >
      <textarea
        aria-label={`Comment on ${lines.includes("-") ? "lines" : "line"} ${lines}`}
        rows={2}
        value={text}
        ref={selectField}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape") {
            event.stopPropagation();
            onClose();
          } else if (event.key === "Enter" && !event.shiftKey) {
            event.preventDefault();
            onSave(text);
          }
        }}
      />
      <div>
        <span className="hint">
          {lines.includes("-") ? "lines" : "line"} {lines}
        </span>
        <button type="button" className="quiet" onClick={onClose}>
          Cancel
        </button>
        <button type="submit" className="button">
          Add comment
        </button>
      </div>
    </form>
  );
}

interface CommentProps {
  readonly comment: LineComment;
  readonly threadId: string;
  readonly onEdit: () => void;
}

function Comment({ comment, threadId, onEdit }: CommentProps) {
  return (
    <div className="line-comment">
      <p dir="auto">{comment.text}</p>
      <div>
        <span className="hint">line {formatLines(comment)} · not sent yet</span>
        <button type="button" className="quiet" onClick={onEdit}>
          Edit
        </button>
        <button type="button" className="quiet" onClick={() => setComment(threadId, { ...comment, text: "" })}>
          Remove
        </button>
      </div>
    </div>
  );
}
