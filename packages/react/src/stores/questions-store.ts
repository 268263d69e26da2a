// Every question that waits for an answer, in all threads, as the host lists them. Loaded again whenever the host reports a thread in which
// something waits or waited, and after a reconnect.

import { askWhenOpen, type HostConnection } from "@signalbox/client";
import type { QuestionRow } from "@signalbox/protocol";
import { Store } from "./store.ts";

/** The oldest first. */
export type Questions = readonly QuestionRow[];

const maxQuestions = 1000;

export function followQuestions(connection: HostConnection): Store<Questions> {
  const store = new Store<Questions>([]);
  const load = askWhenOpen(
    connection,
    () => connection.query("questions.list", { limit: maxQuestions }),
    ({ rows }) => store.set(rows),
  );
  connection.onMessage((message) => {
    if (message.type !== "tinyvex.update" || message.stream !== "threads") return;
    const threadId = "row" in message ? message.row.id : message.deleted;
    const waits = "row" in message && message.row.waiting > 0;
    if (waits || store.get().some((question) => question.thread_id === threadId)) load();
  });
  return store;
}

/** A thread with questions, the one whose oldest question waits longest first. */
export interface WaitingThread {
  readonly threadId: string;
  readonly title: string;
  readonly agentId: string;
  /** Describes its oldest question. */
  readonly about: string;
  readonly count: number;
}

export function waitingThreads(questions: Questions): readonly WaitingThread[] {
  return [...Map.groupBy(questions, (question) => question.thread_id)].flatMap(([threadId, [first, ...others]]) => {
    if (first === undefined) return [];
    const { thread_title, agent_id } = first;
    const title = thread_title ?? "Untitled";
    return [{ threadId, title, agentId: agent_id, about: describeQuestion(first), count: others.length + 1 }];
  });
}

export function questionId(question: QuestionRow): string {
  return question.type === "permission" ? question.permission_id : question.elicitation_id;
}

/** The command, the files or the host, where Signalbox knows them; else what the agent calls it. */
function describeQuestion(question: QuestionRow): string {
  const about = question.type === "permission" ? describePermission(question) : question.message;
  return (about ?? "").replaceAll("`", "").replaceAll(/\s+/g, " ").trim();
}

function describePermission({
  subject,
  title,
  cwd,
}: Extract<QuestionRow, { readonly type: "permission" }>): string | null {
  if (subject === null) return title;
  if (subject.command !== null) return subject.command.split("\n")[0] ?? "";
  if (subject.kind === "execute") return "a command that it does not name";
  const isInside = (path: string) => path.startsWith(`${cwd}/`);
  // Paths outside the folder come first.
  const paths = [...subject.paths.filter((path) => !isInside(path)), ...subject.paths.filter(isInside)];
  const [path, ...others] = paths.map((each) => (isInside(each) ? each.slice(cwd.length + 1) : each));
  if (path === undefined) return subject.hosts[0] ?? title;
  return others.length === 0 ? path : `${path} and ${others.length} more`;
}
