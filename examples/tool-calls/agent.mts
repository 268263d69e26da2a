// A small ACP agent. NotesAgent knows nothing of ACP; one wrapAgent call lets the client see, permit and cancel what it does.
import { readFile, writeFile } from "node:fs/promises";
import { Readable, Writable } from "node:stream";
import { agent, ndJsonStream, PROTOCOL_VERSION } from "@agentclientprotocol/sdk";
import {
  ClientPermissionHandler,
  messageOf,
  ToolCallError,
  ToolCallTracker,
  wrapAgent,
  wrapClient,
} from "@signalbox/tool-calls";

class NotesAgent {
  /** `read /tmp/a` or `write /tmp/a some words`: this agent is its own model. */
  async prompt(text: string): Promise<string> {
    const [tool = "", path = "", ...words] = text.split(" ");
    return this.callTool(tool, { path, content: words.join(" ") });
  }

  async callTool(name: string, { path, content }: { path: string; content: string }): Promise<string> {
    if (name === "read") return readFile(path, "utf8");
    if (name !== "write") throw new Error(`There is no tool ${name}.`);
    await writeFile(path, content);
    return "Written.";
  }
}

const sessions = new Map<string, { notes: NotesAgent; tracker: ToolCallTracker }>();

agent({ name: "notes" })
  .onRequest("initialize", () => ({ protocolVersion: PROTOCOL_VERSION }))
  .onRequest("session/new", ({ client, params }) => {
    const sessionId = `notes-${sessions.size + 1}`;
    const tracker = new ToolCallTracker({ client: wrapClient(client), sessionId, cwd: params.cwd });
    const permissions = new ClientPermissionHandler(wrapClient(client));
    sessions.set(sessionId, { notes: wrapAgent(new NotesAgent(), { tracker, permissions }), tracker });
    return { sessionId };
  })
  .onRequest("session/prompt", async ({ client, params: { sessionId, prompt } }) => {
    const notes = sessions.get(sessionId)?.notes;
    if (notes === undefined) throw new Error(`There is no session ${sessionId}.`);
    const said = prompt.map((block) => (block.type === "text" ? block.text : "")).join("");
    const answer = await notes.prompt(said).catch((error: unknown) => error);
    if (answer instanceof ToolCallError && answer.code === "cancelled") return { stopReason: "cancelled" };
    const content = { type: "text", text: typeof answer === "string" ? answer : messageOf(answer) } as const;
    await client.notify("session/update", { sessionId, update: { sessionUpdate: "agent_message_chunk", content } });
    return { stopReason: "end_turn" };
  })
  .onNotification("session/cancel", ({ params }) =>
    sessions.get(params.sessionId)?.tracker.settleAll("The user cancelled."),
  )
  .connect(ndJsonStream(Writable.toWeb(process.stdout), Readable.toWeb(process.stdin)));
