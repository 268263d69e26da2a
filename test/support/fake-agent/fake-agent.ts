// A scriptable ACP agent as a real process. The prompt is its script: a JSON array of steps (see script.ts) that it carries out in
// order, well-behaved or not, by writing raw lines. A prompt that is no script is answered with its own text. Command-line words set what it
// says of itself: `--initialize JSON`, `--session JSON` and `--answer JSON` (of a prompt) are merged into those answers, `--deaf` ignores cancel,
// `--stays` does not end at stdin's end, `--logged-out` wants a log-in first, which `authenticate` notes in `--log-in-file FILE` and `logout` removes, `--replay JSON` ({steps}) runs on load, `--greets` says something as a new session starts, `--sessions JSON` answers session/list, `--script JSON` runs before the first request is read, `--at-end JSON` is sent when stdin ends, `--steering JSON` answers `_session/steering`, `--ended-file FILE` gets a line for what becomes of a session: session/close, session/set_title and the like.
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, rmSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import type { Step } from "./script.ts";

interface Message {
  readonly id?: string | number | null;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: unknown;
  readonly error?: unknown;
}

const words = process.argv.slice(2);
const isDeaf = words.includes("--deaf");
const valueOf = (name: string): Record<string, unknown> => {
  const at = words.indexOf(name);
  return at < 0 ? {} : (JSON.parse(words[at + 1] ?? "{}") as Record<string, unknown>);
};

/** Where it remembers that somebody logged in. */
const loggedIn = words[words.indexOf("--log-in-file") + 1] ?? "";

const answers = new Map<string | number, (message: Message) => void>();
const cancels = new Map<string, AbortController>();
const heard = new Map<string, unknown>();
let sessions = 0;
let requests = 0;

const write = (text: string) => void process.stdout.write(text);
const send = (message: object) => write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
const update = (sessionId: unknown, content: object) =>
  send({ method: "session/update", params: { sessionId, update: content } });
const sendText = (sessionId: unknown, text: string) =>
  update(sessionId, { sessionUpdate: "agent_message_chunk", content: { type: "text", text } });

/** Says the answer unless `quiet`. */
async function ask(
  method: string,
  params: { sessionId: unknown; [key: string]: unknown },
  options: { id?: string | number; quiet?: boolean } = {},
) {
  const id = options.id ?? `fake-${++requests}`;
  const answer = new Promise<Message>((resolve) => answers.set(id, resolve));
  send({ id, method, params });
  const { result, error } = await answer;
  const said = error === undefined ? { result } : { error };
  if (options.quiet !== true) sendText(params.sessionId, `${JSON.stringify(said)}\n`);
}

const lateMs = 300;

async function writeEndlessLine(megabytes: number): Promise<void> {
  const piece = "x".repeat(2 ** 20);
  for (let written = 0; written < megabytes; written++) {
    await new Promise((resolve) => process.stdout.write(written === 0 ? `{${piece}` : piece, resolve));
  }
}

async function run(sessionId: unknown, steps: readonly Step[], signal: AbortSignal): Promise<string> {
  for (const step of steps) {
    if (signal.aborted && !isDeaf) return "cancelled";
    if ("say" in step) {
      for (let i = 0; i < (step.times ?? 1); i++) sendText(sessionId, step.say);
    } else if ("megabytes" in step) {
      const content = [
        { type: "content", content: { type: "text", text: "0123456789abcdeé".repeat(step.megabytes * 2 ** 16) } },
      ];
      update(sessionId, { sessionUpdate: "tool_call", toolCallId: "big", title: "Big", status: "completed", content });
    } else if ("endlessMegabytes" in step) await writeEndlessLine(step.endlessMegabytes);
    else if ("longChunk" in step) sendText(sessionId, "0123456789abcdeé".repeat(step.longChunk / 16));
    else if ("values" in step) {
      const values = Array.from({ length: step.values }, () => 1);
      update(sessionId, { sessionUpdate: "tool_call", toolCallId: "many", title: "Many", rawOutput: values });
      await ask("session/request_permission", { sessionId, toolCall: { toolCallId: "many", rawInput: values } });
    } else if ("update" in step) update(sessionId, step.update);
    else if ("send" in step) send(step.send);
    else if ("raw" in step) write(step.raw);
    else if ("log" in step) process.stderr.write(`${step.log}\n`);
    else if ("ask" in step) {
      await ask(step.ask, { sessionId, ...step.params }, step);
    } else if ("wait" in step) {
      await pause(step.wait, undefined, isDeaf ? {} : { signal }).catch(() => {});
    } else if ("shell" in step) {
      // With a socket as stdin, bash believes that it was started over the network and reads the start-up file of the person.
      execFileSync("bash", ["-c", step.shell], { stdio: ["ignore", "pipe", "pipe"] });
    } else if ("exit" in step) process.exit(step.exit);
    else if ("crash" in step) process.kill(process.pid, step.crash);
    else if ("fail" in step) throw step.fail;
    else if ("environment" in step) sendText(sessionId, JSON.stringify(process.env[step.environment] ?? null));
    else if ("askLate" in step) {
      setTimeout(() => send({ id: "late", method: step.askLate, params: { sessionId, ...step.params } }), lateMs);
    } else if ("heard" in step) sendText(sessionId, JSON.stringify(heard.get(step.heard) ?? null));
    else return step.stop;
  }
  return signal.aborted && !isDeaf ? "cancelled" : "end_turn";
}

async function handle(message: Message): Promise<void> {
  const { id, method, params = {} } = message;
  if (method === undefined) {
    if (id !== undefined && id !== null) answers.get(id)?.(message);
    return;
  }
  heard.set(method, params);
  const sessionId = String(params.sessionId);
  switch (method) {
    case "initialize":
      return send({
        id,
        result: { protocolVersion: 1, agentCapabilities: {}, authMethods: [], ...valueOf("--initialize") },
      });
    case "session/new":
      if (words.includes("--logged-out") && !existsSync(loggedIn))
        return send({ id, error: { code: -32000, message: "Authentication required" } });
      send({ id, result: { sessionId: `fake-session-${process.pid}-${++sessions}`, ...valueOf("--session") } });
      if (words.includes("--greets")) sendText(`fake-session-${process.pid}-${sessions}`, "Hello before any prompt.");
      return;
    case "authenticate":
      writeFileSync(loggedIn, String(params.methodId));
      return send({ id, result: {} });
    case "logout":
      rmSync(loggedIn);
      return send({ id, result: {} });
    case "session/cancel":
      return isDeaf ? undefined : cancels.get(sessionId)?.abort();
    case "session/prompt": {
      const cancel = new AbortController();
      cancels.set(sessionId, cancel);
      // What comes before the script is context for an agent without memory: said again, so that a test can see it.
      const blocks = params.prompt as { text?: string }[];
      for (const context of blocks.slice(0, -1)) sendText(sessionId, context.text ?? "");
      const block = blocks.at(-1);
      try {
        const stopReason = await run(sessionId, stepsOf(block?.text ?? ""), cancel.signal);
        send({ id, result: { stopReason, ...valueOf("--answer") } });
      } catch (error) {
        send({ id, error });
      }
      return;
    }
    case "session/load":
    case "session/resume": {
      await run(
        sessionId,
        (valueOf("--replay").steps as readonly Step[] | undefined) ?? [],
        new AbortController().signal,
      );
      return send({ id, result: valueOf("--session") });
    }
    case "_session/steering":
      return send({ id, result: valueOf("--steering") });
    case "_x.example/echo":
      return id === undefined ? undefined : send({ id, result: params });
    case "session/close":
    case "session/delete":
    case "session/archive":
    case "session/unarchive":
    case "session/set_title": {
      const { title } = params;
      const about = typeof title === "string" ? ` ${title}` : "";
      if (words.includes("--ended-file"))
        appendFileSync(words[words.indexOf("--ended-file") + 1] ?? "", `${method}${about}\n`);
      return send({ id, result: { ...(typeof title === "string" && { title }) } });
    }
    case "session/fork":
      return send({ id, result: { sessionId: `fork-of-${sessionId}`, ...valueOf("--session") } });
    case "session/list":
      return send({ id, result: valueOf("--sessions") });
    case "session/set_config_option": {
      const { configOptions = [] } = valueOf("--session") as { configOptions?: { id: string }[] };
      const set = configOptions.map((option) =>
        option.id === params.configId ? { ...option, currentValue: params.value } : option,
      );
      return send({ id, result: { configOptions: set } });
    }
    case "session/set_mode":
      update(sessionId, { sessionUpdate: "current_mode_update", currentModeId: params.modeId });
      return send({ id, result: {} });
    default:
      if (id !== undefined) send({ id, error: { code: -32601, message: `Method not found: ${method}` } });
  }
}

function stepsOf(text: string): readonly Step[] {
  try {
    const steps: unknown = JSON.parse(text);
    return Array.isArray(steps) ? (steps as Step[]) : [{ say: text }];
  } catch {
    return [{ say: text }];
  }
}

const first = words.indexOf("--script");
if (first >= 0) await run("none", stepsOf(words[first + 1] ?? ""), new AbortController().signal);
const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => void handle(JSON.parse(line) as Message));
lines.on("close", () => {
  if (words.includes("--at-end")) send(valueOf("--at-end"));
  if (words.includes("--stays")) setInterval(() => {}, 1000);
  else process.exit(0);
});
