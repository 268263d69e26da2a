// The outline of a thread: its prompts, from the first to the last, loaded or not. A click goes there.
import { useQuery } from "@signalbox/react";
import { outline } from "../../stores/outline.ts";
import { ago } from "../../text/time.ts";
import { LoadProblem } from "../shared/load-problem.tsx";
import { Sheet } from "../shared/sheet.tsx";

const pageSize = 200;
const maxLength = 160;

const close = () => outline.set(null);

export default function OutlineSheet({ threadId, onChoose }: { threadId: string; onChoose: (seq: number) => void }) {
  const args = { thread_id: threadId, role: "user", limit: pageSize } as const;
  const state = useQuery("messages.list", args);
  const { rows, hasMore, loadMore } = state;
  const prompts = (rows ?? []).toSorted((a, b) => a.seq - b.seq);
  return (
    <Sheet title="Outline" onClose={close}>
      <LoadProblem what="The prompts" state={state} />
      {rows?.length === 0 && <p className="hint">No prompts yet.</p>}
      {hasMore && (
        <button type="button" className="quiet" onClick={loadMore}>
          Earlier prompts
        </button>
      )}
      <ol className="outline" key={rows?.length} ref={focusLast}>
        {prompts.map(({ seq, text, created_at }) => (
          <li key={seq}>
            <button
              type="button"
              onClick={() => {
                close();
                onChoose(seq);
              }}
            >
              <span dir="auto">{readFirstLine(text)}</span>
              <time>{ago(created_at)}</time>
            </button>
          </li>
        ))}
      </ol>
    </Sheet>
  );
}

/** One reads from the end, as in the thread. */
function focusLast(list: HTMLElement | null): void {
  list?.querySelector<HTMLElement>("li:last-child button")?.focus();
}

/** The first line with words. */
function readFirstLine(text: string): string {
  const line = text.split("\n").find((each) => each.trim() !== "") ?? "(no text)";
  return line.length > maxLength ? `${line.slice(0, maxLength).toWellFormed()}…` : line;
}
