// A recorded agent as a real process: it says again what the agent said then, in the same order, to whatever host asks now. Where the recording
// has a question of the client, it waits for the host's; where it has an answer to something that this host never asked, it sends that, too.
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

interface Message {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
}

const recording = readFileSync(process.argv[2] ?? "", "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line) as { dir: "client->agent" | "agent->client"; msg: Message });

const send = (message: object) => process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);

/** Messages of the host that were not read yet, and the readers that wait. */
const heard: Message[] = [];
let wake = () => {};
createInterface({ input: process.stdin })
  .on("line", (line) => {
    const message = JSON.parse(line) as Message;
    if (message.method === "initialize") {
      send({ id: message.id, result: { protocolVersion: 1, agentCapabilities: {}, authMethods: [] } });
      return;
    }
    heard.push(message);
    wake();
  })
  .on("close", () => process.exit(0));

async function next(matches: (message: Message) => boolean): Promise<Message> {
  for (;;) {
    const index = heard.findIndex(matches);
    const [message] = index < 0 ? [] : heard.splice(index, 1);
    if (message !== undefined) return message;
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
}

const opening = new Set(["session/new", "session/load"]);
/** The recording's request ids, and the ids under which this host asked the same. */
const asked = new Map<unknown, Message["id"]>();
let isOpen = false;

for (const { dir, msg } of recording) {
  const { id, method } = msg;
  if (dir === "client->agent") {
    if (method === undefined) await next((message) => message.method === undefined && message.id === id);
    else if (method === "session/prompt") asked.set(id, (await next((message) => message.method === method)).id);
    else if (opening.has(method) && !isOpen) {
      asked.set(id, (await next((message) => message.method === "session/new")).id);
      isOpen = true;
    }
  } else if (method !== undefined) send(msg);
  else if (asked.has(id)) {
    const hostId = asked.get(id);
    asked.delete(id);
    // An answer to `session/load` names no session; the host asked for a new one.
    const result =
      typeof msg.result === "object" ? { sessionId: "recorded", ...msg.result } : { sessionId: "recorded" };
    send(msg.error === undefined ? { id: hostId, result } : { id: hostId, error: msg.error });
  } else send({ ...msg, id: `recorded-${String(id)}` });
}
