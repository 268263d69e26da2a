// Chooses whose changes are shown: of all turns, or of one, by its prompt.

import type { ThreadView, TurnRow } from "@signalbox/protocol";
import { go } from "../../hooks/use-route.ts";
import { ListBox } from "../shared/list-box.tsx";

export function TurnChooser({ view, turnId }: { view: ThreadView; turnId: string | null }) {
  const { thread, turns } = view;
  const choose = (chosen: string) =>
    go({ page: "changes", threadId: thread.id, ...(chosen !== "" && { turnId: chosen }) });
  return (
    <span className="turn-chooser labelled">
      Changes of
      <ListBox
        label="Changes of"
        value={turnId ?? ""}
        onChange={choose}
        options={[
          { value: "", name: "the whole thread" },
          ...turns
            .filter((turn) => turn.started_at !== null)
            .map((turn) => ({ value: turn.turn_id, name: labelTurn(turn, view) })),
        ]}
      />
    </span>
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
