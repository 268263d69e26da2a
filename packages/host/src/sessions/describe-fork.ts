// Decides how a fork of a thread begins: what its row has, and where its agent's session comes from.
import { isFact, makeForkTitle, type RequestParams, type ThreadRow } from "@signalbox/protocol";
import type { NewThread, Register } from "@signalbox/tinyvex";
import type { SessionSource } from "./session-options.ts";

export type Fork = Pick<RequestParams<"session.fork">, "title" | "before_seq">;

export async function describeFork(
  register: Pick<Register, "query">,
  parent: ThreadRow,
  { title, before_seq: beforeSeq }: Fork,
): Promise<{ readonly thread: NewThread; readonly source: SessionSource }> {
  const { id, agent_id, cwd, additional_directories, session_id: sessionId, git, sandbox_choice } = parent;
  const beforeTurn = beforeSeq === undefined ? undefined : await findTurnStart(register, id, beforeSeq);
  // A session can be copied at its end, and by some agents before a prompt.
  const isCopy = sessionId !== null && (beforeSeq === undefined || beforeTurn !== undefined);
  return {
    source: isCopy ? { type: "fork", sessionId, beforeTurn } : { type: "own" },
    thread: {
      agent_id,
      cwd,
      additional_directories,
      sandbox_choice: sandbox_choice ?? undefined,
      title: await nameFork(register, parent.title, title),
      parent_thread_id: id,
      fork: { before_seq: beforeSeq ?? null, by: isCopy ? null : "told" },
      git: git?.worktree === undefined ? undefined : git,
    },
  };
}

/** A fork with the title of its parent gets a number: two threads of the list should not look the same. */
async function nameFork(
  register: Pick<Register, "query">,
  parentTitle: string | null,
  title = parentTitle,
): Promise<string | null> {
  if (title === null || title !== parentTitle) return title;
  const { rows } = await register.query("threads.list", { text: title.replace(/ · \d+$/, ""), limit: 200 });
  return makeForkTitle(
    title,
    rows.flatMap((row) => row.title ?? []),
  );
}

/** Undefined where no turn begins there: text that was steered into a turn is a prompt too. */
async function findTurnStart(
  register: Pick<Register, "query">,
  threadId: string,
  seq: number,
): Promise<string | undefined> {
  const { rows } = await register.query("events.list", { thread_id: threadId, after_seq: seq - 1, limit: 1 });
  const [event] = rows;
  const begun = event?.seq === seq && isFact(event.payload) ? event.payload : undefined;
  return begun?.type === "turn_started" ? begun.turn_id : undefined;
}
