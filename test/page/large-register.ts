// Writes a register of 130 threads of three agents in five folders, and one thread of 3,000 items, without running an agent.
import { join } from "node:path";
import { type JsonObject, readUpdate } from "@signalbox/protocol";
import { type Entry, openRegister } from "@signalbox/tinyvex";

const agents = ["fake", "goose", "opencode"];
const manyThreads = 130;
/** Each is a tool call and a message. */
export const longSteps = 1500;
export const longTitle = "The long one";
/** After this one the long thread has a call that waited for a person. */
const askedStep = 700;

export const folderOf = (index: number) => `/projects/folder-${index % 5}`;
export const titleOf = (index: number) => `Thread number ${index}.`;

const toolsOf = (step: number) => [
  { name: "bash", kind: "execute", title: "OK.", rawInput: { command: `npm test ${step}` } },
  { name: "grep", kind: "search", title: `grep "retry ${step}"` },
  { name: "write", kind: "edit", title: `Write \`src/${step}.ts\`` },
];

/**
 * All turns end later than what happens in a test, so that a thread of the test is the oldest. Their calls are of now: in the last hour of a day, the
 * statistics would not count those of tomorrow.
 */
const soon = 60 * 60 * 1000;

export async function writeLargeRegister(dataFolder: string): Promise<void> {
  const register = await openRegister({ path: join(dataFolder, "signalbox.db") });
  const now = Date.now();
  const start = now + soon;
  const fill = async (agent_id: string, cwd: string, title: string, at: number, steps: number) => {
    const { id } = await register.createThread({ agent_id, cwd, title, at });
    const add = (entry: Entry, time = now) => register.append(id, { ...entry, at: time });
    const turn_id = `turn-${id}`;
    const prompt = [{ type: "text", text: `Please do ${title}` }];
    add({ type: "fact", fact: { type: "turn_queued", turn_id, prompt_id: `prompt-${id}`, prompt } });
    add({ type: "fact", fact: { type: "turn_started", turn_id } });
    for (let step = 0; step < steps; step++) {
      const tool = toolsOf(step)[step % 3];
      const status = step % 7 === 3 ? "failed" : "completed";
      // Among the first steps are two edits of one file.
      const content =
        step === 2 || step === 5 ? [{ type: "diff", path: "src/early.ts", oldText: "a\n", newText: "b\n" }] : [];
      add(update({ sessionUpdate: "tool_call", toolCallId: `c${step}`, ...tool, status, content }));
      add(update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: `${title} Step ${step}.` } }));
      if (step === askedStep) for (const [entry, time] of askedCall(now - 60_000)) add(entry, time);
    }
    add({ type: "fact", fact: { type: "turn_ended", turn_id, stop_reason: "end_turn" } }, at);
    await register.settled(id);
  };
  await fill("fake", folderOf(0), longTitle, start, longSteps);
  for (let index = 1; index < manyThreads; index++)
    await fill(agents[index % agents.length] ?? "", folderOf(index), titleOf(index), start + index, 3);
  await register.close();
}

/** A call that waits 26 seconds for a person and takes 100 milliseconds, with its times. */
function askedCall(start: number): readonly (readonly [Entry, number])[] {
  const call = { toolCallId: "asked", title: "Read after a question", kind: "read" };
  const options = [{ optionId: "yes", name: "Yes", kind: "allow_once" }];
  const question = { type: "permission_requested", permission_id: "asked", tool_call: call, options } as const;
  const answer = { status: "allowed", option_id: "yes", decided_by: "person", rule: null } as const;
  const answered = start + 26_000;
  return [
    [update({ sessionUpdate: "tool_call", ...call, status: "in_progress" }), start],
    [{ type: "fact", fact: question }, start],
    [{ type: "fact", fact: { type: "permission_decided", permission_id: "asked", ...answer } }, answered],
    [update({ sessionUpdate: "tool_call_update", toolCallId: "asked", status: "completed" }), answered + 100],
  ];
}

function update(fields: JsonObject): Entry {
  return { type: "update", update: readUpdate({ sessionId: "session", update: fields }) };
}
