// Finds text in this thread: in the loaded items, and by a search in the older ones. Enter goes to the previous match, Shift+Enter to the next.

import { type ContentBlock, isTextBlock, type TimelineItem } from "@signalbox/protocol";
import { type OpenThread, useQuery } from "@signalbox/react";
import { useDeferredValue, useMemo, useState } from "react";
import { useLayer } from "../../stores/layers.ts";
import { focusField } from "../shared/focus-field.ts";
import type { Target } from "../timeline/use-target.ts";

interface FindBarProps {
  readonly thread: OpenThread;
  readonly text: string;
  readonly onText: (text: string) => void;
  readonly onFound: (target: Target) => void;
  readonly onClose: () => void;
}

export function FindBar({ thread, text, onText, onFound, onClose }: FindBarProps) {
  const wanted = useDeferredValue(text.trim());
  const loaded = thread.view?.timeline;
  const threadId = thread.view?.thread.id ?? "";
  const asks = wanted.length > 1 && thread.view?.has_more === true;
  const older = useQuery("search", asks ? { text: wanted, thread_id: threadId, limit: 200 } : null);
  const places = useMemo(() => {
    if (wanted.length < 2) return [];
    const first = loaded?.[0]?.seq ?? 0;
    const here = (loaded ?? []).filter((item) => readText(item).includes(wanted.toLowerCase())).map((item) => item.seq);
    const before = (older.rows ?? []).map((hit) => hit.seq).filter((seq) => seq < first);
    return [...new Set([...before, ...here])].toSorted((a, b) => a - b);
  }, [wanted, loaded, older.rows]);
  const [last, setLast] = useState({ seq: -1, of: "" });
  // A new search starts at the match nearest to the end of the thread.
  const at = last.of === wanted ? last.seq : null;
  const move = (step: 1 | -1) => {
    if (places.length === 0) return;
    const here = at === null ? -1 : places.indexOf(at);
    const index = here < 0 ? places.length - 1 : (here + step + places.length) % places.length;
    const seq = places[index];
    if (seq === undefined) return;
    setLast({ seq, of: wanted });
    onFound({ seq });
  };
  useLayer(true, onClose);
  return (
    <search className="find-bar">
      <input
        aria-label="Find in this thread"
        placeholder="Find in this thread"
        value={text}
        ref={focusField}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") move(event.shiftKey ? 1 : -1);
        }}
      />
      <span role="status">
        {wanted.length > 1 &&
          (places.length === 0
            ? "No matches"
            : `${at === null ? "" : `${places.indexOf(at) + 1} of `}${places.length}`)}
      </span>
      <button type="button" className="quiet" onClick={() => move(-1)} aria-label="Previous">
        ↑
      </button>
      <button type="button" className="quiet" onClick={() => move(1)} aria-label="Next">
        ↓
      </button>
      <button type="button" className="quiet" onClick={onClose} aria-label="Close find">
        ×
      </button>
    </search>
  );
}

function readText(item: TimelineItem): string {
  if (item.type === "message") return item.text.toLowerCase();
  const parts = item.content.map((part) => {
    const { content, newText } = part as { content?: ContentBlock; newText?: string };
    return content !== undefined && isTextBlock(content) ? content.text : (newText ?? "");
  });
  return [item.title, ...parts].join("\n").toLowerCase();
}
