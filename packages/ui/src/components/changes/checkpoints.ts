// Reads the turns of a thread as checkpoints: the stations of the strip above its changes.
import type { ThreadView, TurnRow } from "@signalbox/protocol";

interface Checkpoint {
  /** Null for the changes of the whole thread. */
  readonly turnId: string | null;
  readonly label: string;
  readonly detail: string;
}

const maxLabelLength = 48;

export function listCheckpoints({ turns, timeline }: Pick<ThreadView, "turns" | "timeline">): readonly Checkpoint[] {
  const started = turns.filter((turn) => turn.started_at !== null);
  return [
    { turnId: null, label: "Whole thread", detail: "from its start to now" },
    ...started.map((turn) => ({
      turnId: turn.turn_id,
      label: turn.restored_to === null ? readPrompt(turn, timeline) : "Undone by you",
      detail: describeTurn(turn),
    })),
  ];
}

function readPrompt(turn: TurnRow, timeline: ThreadView["timeline"]): string {
  const prompt = timeline.find(
    (item) => item.type === "message" && item.role === "user" && item.seq >= turn.seq && item.seq <= turn.last_seq,
  );
  const [line = ""] = prompt?.type === "message" ? prompt.text.trim().split("\n", 1) : [];
  if (line === "") return "Prompt";
  if (line.length <= maxLabelLength) return line;
  // Cut at a word.
  return `${line.slice(0, maxLabelLength).replace(/\s+\S*$/, "")} …`;
}

function describeTurn({ started_at, checkpoint }: TurnRow): string {
  const options = { hour: "2-digit", minute: "2-digit", hour12: false } as const;
  const time = new Date(started_at ?? 0).toLocaleTimeString("en", options);
  const files = checkpoint?.files_changed ?? null;
  if (files === null) return time;
  return `${time} · ${files === 0 ? "no files" : files === 1 ? "1 file" : `${files} files`}`;
}
