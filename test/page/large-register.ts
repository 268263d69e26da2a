// Writes a register of 130 threads of three agents in five folders, and one thread of 3,000 items, without running an agent.
import { join } from "node:path";
import { type Entry, openRegister } from "@signalbox/tinyvex";

const agents = ["fake", "goose", "opencode"];
const manyThreads = 130;
/** Each is a tool call and a message. */
export const longSteps = 1500;
export const longTitle = "The long one";

export const folderOf = (index: number) => `/projects/folder-${index % 5}`;
export const titleOf = (index: number) => `Thread number ${index}.`;

const toolsOf = (step: number) => [
  { name: "bash", kind: "execute", title: "OK.", rawInput: { command: `npm test ${step}` } },
  { name: "grep", kind: "search", title: `grep "retry ${step}"` },
  { name: "write", kind: "edit", title: `Write \`src/${step}.ts\`` },
];

/** The threads are all newer than what happens in a test, so that a thread of the test is the oldest. */
const soon = 60 * 60 * 1000;

export async function writeLargeRegister(dataFolder: string): Promise<void> {
  const register = await openRegister({ path: join(dataFolder, "signalbox.db") });
  const start = Date.now() + soon;
  const fill = async (agent_id: string, cwd: string, title: string, at: number, steps: number) => {
    const { id } = await register.createThread({ agent_id, cwd, title, at });
    const add = (entry: Entry) => register.append(id, { ...entry, at });
    const turn_id = `turn-${id}`;
    const prompt = [{ type: "text", text: `Please do ${title}` }];
    add({ type: "fact", fact: { type: "turn_queued", turn_id, prompt_id: `prompt-${id}`, prompt } });
    add({ type: "fact", fact: { type: "turn_started", turn_id } });
    for (let step = 0; step < steps; step++) {
      const tool = toolsOf(step)[step % 3];
      const status = step % 7 === 3 ? "failed" : "completed";
      add(update({ sessionUpdate: "tool_call", toolCallId: `c${step}`, ...tool, status }));
      add(update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: `${title} Step ${step}.` } }));
    }
    add({ type: "fact", fact: { type: "turn_ended", turn_id, stop_reason: "end_turn" } });
    await register.settled(id);
  };
  await fill("fake", folderOf(0), longTitle, start, longSteps);
  for (let index = 1; index < manyThreads; index++)
    await fill(agents[index % agents.length] ?? "", folderOf(index), titleOf(index), start + index, 3);
  await register.close();
}

function update(fields: object): Entry {
  return { type: "update", params: { sessionId: "session", update: fields } };
}
