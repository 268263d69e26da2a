// Decides how a fork of a thread begins: what its row has, and where its agent's session comes from.
import type { ClientMessageOf, ThreadRow } from "@signalbox/protocol";
import type { NewThread } from "@signalbox/tinyvex";
import type { SessionSource } from "./open-agent-session.ts";

export type Fork = Pick<ClientMessageOf<"session.fork">, "title" | "before_seq">;

export function forkOf(
  parent: ThreadRow,
  { title, before_seq: beforeSeq }: Fork,
): { readonly thread: NewThread; readonly source: SessionSource } {
  const { id, agent_id, cwd, additional_directories, session_id: sessionId, git, sandbox_choice } = parent;
  // A session can be copied only at its end.
  const isCopy = sessionId !== null && beforeSeq === undefined;
  return {
    source: isCopy ? { type: "fork", sessionId } : { type: "own" },
    thread: {
      agent_id,
      cwd,
      additional_directories,
      sandbox_choice: sandbox_choice ?? undefined,
      title: title ?? (parent.title === null ? null : `${parent.title} (fork)`),
      parent_thread_id: id,
      fork: { before_seq: beforeSeq ?? null, by: isCopy ? null : "told" },
      git: git?.worktree === undefined ? undefined : git,
    },
  };
}
