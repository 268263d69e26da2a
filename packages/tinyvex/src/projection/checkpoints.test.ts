// Checks what facts about checkpoints, git and restored files do to the rows, also after a rebuild.
import { expect, it } from "vitest";
import { fact } from "../testing/entries.ts";
import { slow, temporaryRegister } from "../testing/temporary-register.ts";

it(
  "keeps a turn's checkpoints in its row, and a restore as a row among the turns that no statistics count",
  slow,
  async () => {
    const { register } = await temporaryRegister();
    const { id } = await register.createThread({ agent_id: "agent", cwd: "/" });
    const read = async () => {
      await register.settled(id);
      const { rows } = await register.query("turns.list", { thread_id: id });
      const { rows: stats } = await register.query("stats", {});
      const thread = await register.getThread(id);
      return { turns: rows, thread, counted: stats.filter(({ stat }) => stat === "turns").map(({ count }) => count) };
    };
    const big = { path: "big", reason: "big" };
    const facts = [
      { type: "checkpoints_changed", checkpoints: { on: false, reason: "the home folder" } },
      { type: "git_changed", git: { branch: "main" } },
      { type: "turn_queued", turn_id: "turn-1", prompt_id: "p1", prompt: [] },
      { type: "turn_started", turn_id: "turn-1" },
      { type: "checkpoint_made", turn_id: "turn-1", moment: "before", commit: "a1", not_kept: [big], notice: "slow" },
      {
        type: "checkpoint_made",
        turn_id: "turn-1",
        moment: "after",
        commit: "a2",
        files_changed: 3,
        not_kept: [big],
        notice: null,
      },
      { type: "checkpoint_made", turn_id: "no turn", moment: "before", commit: "a9", not_kept: [], notice: null },
      { type: "turn_ended", turn_id: "turn-1", stop_reason: "end_turn" },
      {
        type: "files_restored",
        turn_id: "restore-1",
        to_turn_id: "turn-1",
        before: "a2",
        after: "a3",
        restored: ["x"],
        conflicts: [],
      },
    ] as const;
    for (const each of facts) register.append(id, fact(each));
    const live = await read();
    expect(live.turns).toMatchObject([
      {
        turn_id: "turn-1",
        restored_to: null,
        checkpoint: { before: "a1", after: "a2", files_changed: 3, not_kept: [big], notice: "slow" },
      },
      {
        turn_id: "restore-1",
        status: "ended",
        restored_to: "turn-1",
        checkpoint: { before: "a2", after: "a3", files_changed: 1 },
      },
    ]);
    expect(live.counted).toEqual([1]);
    expect(live.thread).toMatchObject({
      status: "idle",
      checkpoints: { on: false, reason: "the home folder" },
      git: { branch: "main" },
    });
    await register.rebuild();
    expect(await read()).toEqual(live);
  },
);
