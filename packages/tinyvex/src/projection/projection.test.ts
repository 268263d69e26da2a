import { applyChange, applySnapshot, type Change, type ThreadChange, type TimelineItem } from "@signalbox/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { rounds } from "../../../../test/support/rounds.ts";
import { openRegister } from "../open-register.ts";
import { endTurn, threadWithTurn } from "../testing/entries.ts";
import { StepPlayer, session } from "../testing/steps.ts";
import { indexed, storedRows } from "../testing/stored-rows.ts";
import { slow, temporaryFolder, temporaryRegister } from "../testing/temporary-register.ts";
import { type ModelItem, type Step, TimelineModel } from "../testing/timeline-model.ts";
import { reasonKey } from "./tool-call.ts";

/** Plays a session into a fresh register; a commit window ends after every step whose number is in `windows`. */
async function play(steps: readonly Step[], windows: ReadonlySet<number>, folder: string, name: string) {
  const path = `${folder}/${name}.db`;
  let now = 1000;
  const register = await openRegister({ path, now: () => now });
  const published: Change[] = [];
  register.onChanges((changes) => published.push(...changes));
  const { id } = await register.createThread({ agent_id: "agent", cwd: "/" });
  const start = await register.snapshot(id);
  const player = new StepPlayer(register, id);
  for (const [index, step] of steps.entries()) {
    player.play(step);
    if (windows.has(index)) await register.settled(id);
    now++;
  }
  await register.settled(id);
  const snapshot = await register.snapshot(id, { limit: 1000 });
  return { path, register, id, published, start, snapshot };
}

/** An item without its numbers: those depend on how many chunks became one event. */
function shape(item: TimelineItem): unknown {
  if (item.type === "message")
    return { type: "message", kind: item.role === "user" ? "prompt" : item.kind, text: item.text };
  const content = item.content.filter((entry) => !JSON.stringify(entry).includes(reasonKey));
  return {
    type: "tool",
    id: item.tool_call_id,
    title: item.title,
    kind: item.kind,
    status: item.status,
    content,
    rawInput: item.raw_input,
    isOpen: item.ended_at === null,
  };
}

function modelShape(item: ModelItem): unknown {
  if (item.type === "message") return { type: "message", kind: item.kind, text: item.text };
  const { id, title, kind, status, content, rawInput } = item;
  return { type: "tool", id, title, kind, status, content, rawInput, isOpen: item.ended === null };
}

const windowsOf = fc.array(fc.nat(60), { maxLength: 40 }).map((numbers) => new Set(numbers));

describe("random sessions with duplicates, late and partial updates", slow, () => {
  it("give the rows that the rules give, whatever the commit windows", async () => {
    const folder = temporaryFolder();
    let run = 0;
    await fc.assert(
      fc.asyncProperty(session, windowsOf, async (steps, windows) => {
        const { register, snapshot } = await play(steps, windows, folder, `model-${run++}`);
        await register.close();
        const model = new TimelineModel();
        for (const step of steps) model.apply(step);
        expect(snapshot.timeline.map(shape)).toEqual(model.items.map(modelShape));
        expect(snapshot.turns).toHaveLength(model.turns);
        expect(snapshot.timeline.map(({ seq }) => seq)).toEqual(
          snapshot.timeline.map(({ seq }) => seq).toSorted((a, b) => a - b),
        );
      }),
      { numRuns: rounds({ some: 6, all: 60 }) },
    );
  });

  it("give the same rows when the commit windows fall differently", async () => {
    const folder = temporaryFolder();
    let run = 0;
    await fc.assert(
      fc.asyncProperty(session, windowsOf, windowsOf, async (steps, windows, others) => {
        const one = await play(steps, windows, folder, `one-${run}`);
        const two = await play(steps, others, folder, `two-${run++}`);
        await Promise.all([one.register.close(), two.register.close()]);
        expect(one.snapshot.timeline.map(shape)).toEqual(two.snapshot.timeline.map(shape));
        expect(one.snapshot.plan?.entries).toEqual(two.snapshot.plan?.entries);
        expect(one.snapshot.thread.status).toBe(two.snapshot.thread.status);
      }),
      { numRuns: rounds({ some: 4, all: 30 }) },
    );
  });

  it("[R10] are rebuilt from the log to exactly the same rows", async () => {
    const folder = temporaryFolder();
    let run = 0;
    await fc.assert(
      fc.asyncProperty(session, windowsOf, async (steps, windows) => {
        const { path, register } = await play(steps, windows, folder, `rebuild-${run++}`);
        await indexed(path);
        const live = storedRows(path);
        await register.rebuild();
        const rebuilt = storedRows(path);
        await register.close();
        expect(rebuilt).toEqual(live);
      }),
      { numRuns: rounds({ some: 4, all: 30 }) },
    );
  });

  it("reach a client by changes just as they are stored, from whichever snapshot it starts", async () => {
    const folder = temporaryFolder();
    let run = 0;
    await fc.assert(
      fc.asyncProperty(session, windowsOf, async (steps, windows) => {
        const { register, start, published, snapshot } = await play(steps, windows, folder, `client-${run++}`);
        await register.close();
        const isThreadChange = (change: Change): change is ThreadChange => change.stream !== "threads";
        const view = published.filter(isThreadChange).reduce(applyChange, applySnapshot(null, start));
        const whole = applySnapshot(null, snapshot);
        expect(view.gap).toBe(false);
        expect(view.timeline.map(shape)).toEqual(whole.timeline.map(shape));
        expect(view.turns).toEqual(whole.turns);
        expect(view.elicitations).toEqual(whole.elicitations);
        expect(view.seq).toBeLessThanOrEqual(whole.seq);
      }),
      { numRuns: rounds({ some: 4, all: 30 }) },
    );
  });
});

it("[R10] a turn is rebuilt with the times of its events", async () => {
  const { register, path } = await temporaryRegister({ now: () => 1000 });
  const id = await threadWithTurn(register);
  endTurn(register, id, "turn-1");
  await register.settled(id);
  await indexed(path);
  const live = storedRows(path);
  expect(live.turns).toMatchObject([{ started_at: 1000, ended_at: 1000 }]);
  await register.rebuild();
  expect(storedRows(path)).toEqual(live);
});
