// Runs the queued prompts of a thread, one turn at a time. Whatever fails in a turn ends that turn, exactly once and with a sentence; no error leaves the
// thread, so the host and other threads go on.
import type { Fact, TurnEnded, TurnFailed, TurnInterrupted } from "@signalbox/protocol";
import type { ThreadPermissions } from "../permissions/thread-permissions.ts";
import type { PromptQueue, WaitingTurn } from "./prompt-queue.ts";
import { turnError } from "./turn-error.ts";

export type TurnEnd = TurnEnded | TurnFailed | TurnInterrupted;

interface TurnSteps {
  readonly permissions: Pick<ThreadPermissions, "beginTurn" | "endTurn">;
  /** Before the prompt goes out. */
  readonly prepare: (turnId: string) => Promise<void>;
  /** Sends the prompt. Gives how the agent ended it. */
  readonly send: (turn: WaitingTurn) => Promise<TurnEnd>;
  /** After the agent's answer, before the end is recorded. */
  readonly finish: (turnId: string) => Promise<void>;
  readonly record: (fact: Fact) => void;
  /** The end of a turn could not be recorded. */
  readonly onLost: (error: unknown) => void;
}

/** Resolves when the queue is empty or held back. Never rejects. */
export async function runTurns(queue: PromptQueue, steps: TurnSteps): Promise<void> {
  for (let turn = queue.shift(); turn !== undefined; turn = queue.shift()) {
    let end: TurnEnd;
    try {
      end = await runTurn(turn, steps);
    } catch (error) {
      end = describeFailure(turn.turnId, error);
    }
    try {
      recordEnd(end, steps);
    } catch (error) {
      steps.onLost(error);
    }
    // Whatever made this prompt fail would make the next one fail.
    if (end.type !== "turn_ended") queue.hold();
  }
}

async function runTurn(turn: WaitingTurn, { permissions, prepare, send, finish, record }: TurnSteps): Promise<TurnEnd> {
  const { turnId } = turn;
  const end = await attempt(turnId, async () => {
    permissions.beginTurn();
    record({ type: "turn_started", turn_id: turnId });
    await prepare(turnId);
    return await send(turn);
  });
  const finished = await attempt(turnId, async () => {
    // Answers are forgotten with the agent's answer: a checkpoint can take long.
    permissions.endTurn();
    await finish(turnId);
    return end;
  });
  // Questions that came while the folder was kept end too.
  const closed = await attempt(turnId, async () => {
    permissions.endTurn();
    return finished;
  });
  return end.type === "turn_ended" ? closed : end;
}

async function attempt(turnId: string, work: () => Promise<TurnEnd>): Promise<TurnEnd> {
  try {
    return await work();
  } catch (error) {
    return describeFailure(turnId, error);
  }
}

function describeFailure(turn_id: string, error: unknown): TurnEnd {
  return { type: "turn_failed", turn_id, error: turnError(error) };
}

/** Throws when the register takes no end at all. */
function recordEnd(end: TurnEnd, { record }: TurnSteps): void {
  try {
    record(end);
  } catch (error) {
    record(describeFailure(end.turn_id, error));
  }
}
