// Chooses whose changes are shown: of all turns, or of one, by its prompt.
import type { ThreadView, TurnRow } from "@signalbox/protocol";
import { go } from "../../hooks/use-route.ts";

export function TurnChooser({ view, turnId }: { view: ThreadView; turnId: string | null }) {
  const { thread, turns } = view;
  const choose = (chosen: string) =>
    go({ page: "changes", threadId: thread.id, ...(chosen !== "" && { turnId: chosen }) });
  return (
    <label className="turn-chooser">
      Changes of{" "}
      <select value={turnId ?? ""} onChange={(event) => choose(event.target.value)}>
        <option value="">the whole thread</option>
        {turns
          .filter((turn) => turn.started_at !== null)
          .map((turn) => (
            <option key={turn.turn_id} value={turn.turn_id}>
              {labelTurn(turn, view)}
            </option>
          ))}
      </select>
    </label>
  );
}

const maxPromptLength = 60;

function labelTurn(turn: TurnRow, { timeline }: ThreadView): string {
  const time = new Date(turn.started_at ?? 0).toLocaleTimeString("en", {
    hour: "2-digit",
    minute: "2-digit",
    hour12: false,
  });
  const files = turn.checkpoint?.files_changed ?? null;
  const counted = files === null ? "" : `, ${files} ${files === 1 ? "file" : "files"}`;
  if (turn.restored_to !== null) return `${time} files put back${counted}`;
  const prompt = timeline.find(
    (item) => item.type === "message" && item.role === "user" && item.seq >= turn.seq && item.seq <= turn.last_seq,
  );
  const text = prompt?.type === "message" ? prompt.text.trim().split("\n", 1)[0] : undefined;
  const shown = text === undefined || text === "" ? "prompt" : text.slice(0, maxPromptLength);
  return `${time} ${shown}${counted}`;
}
