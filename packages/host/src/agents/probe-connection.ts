// Speaks as much of the protocol as a test of an agent needs: sends a request and waits for its answer, a timeout or the agent's end.
// Refuses every request of the agent.
import { isJsonObject, type Json, type JsonObject, readText, readUpdate, toFields } from "@signalbox/protocol";
import { type AgentExit, describeEnding, describeOutput } from "./agent-exit.ts";
import { AgentProcess } from "./agent-process.ts";
import type { ProbeOptions, ProbePlace } from "./probe-place.ts";
import type { AgentDefinition } from "./registry.ts";

export type ProbeAnswer =
  | { readonly type: "result"; readonly result: JsonObject }
  | { readonly type: "error"; readonly code: number; readonly message: string; readonly data: Json }
  | { readonly type: "gone"; readonly exit: AgentExit }
  | { readonly type: "silent"; readonly timeoutMs: number };

const maxLineBytes = 4 * 1024 * 1024;

export class ProbeConnection {
  readonly #process: AgentProcess;
  readonly #place: ProbePlace;
  readonly #waiting = new Map<number, (answer: ProbeAnswer) => void>();
  #nextId = 1;
  #commands: Json = null;

  private constructor(place: ProbePlace, { ledger, onOutput }: ProbeOptions) {
    const { definition, folder, sandbox } = place;
    this.#place = place;
    const options = { ledger, sandbox, ...(onOutput !== undefined && { onOutput }) };
    this.#process = new AgentProcess(definition, folder, (line) => this.#receive(line), options);
  }

  static async start(agent: AgentDefinition, options: ProbeOptions): Promise<ProbeConnection> {
    return new ProbeConnection(await options.openPlace(agent), options);
  }

  /** The empty folder that it runs in. */
  get folder(): string {
    return this.#place.folder;
  }

  /** The end of the agent's output beside its messages. */
  get tail(): string {
    return this.#process.tail;
  }

  /** The commands that the agent named so far; null before it did. */
  get commands(): Json {
    return this.#commands;
  }

  async request(method: string, params: JsonObject, timeoutMs: number): Promise<ProbeAnswer> {
    const id = this.#nextId++;
    const answer = new Promise<ProbeAnswer>((resolve) => this.#waiting.set(id, resolve));
    // When it cannot be sent, the agent's end has the reason.
    this.#process.send(JSON.stringify({ jsonrpc: "2.0", id, method, params })).catch(() => {});
    let timer: NodeJS.Timeout | undefined;
    const silence = new Promise<ProbeAnswer>((resolve) => {
      timer = setTimeout(() => resolve({ type: "silent", timeoutMs }), timeoutMs);
    });
    const end = this.#process.exited.then((exit): ProbeAnswer => ({ type: "gone", exit }));
    try {
      return await Promise.race([answer, silence, end]);
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(id);
    }
  }

  async stop(): Promise<AgentExit> {
    await this.#process.stop();
    const exit = await this.#process.exited;
    await this.#place[Symbol.asyncDispose]();
    return exit;
  }

  #receive(line: Buffer): undefined {
    // No answer that a test asks for is so long.
    const message = line.length > maxLineBytes ? null : parse(line);
    if (message === null) return this.#process.keepOutput(line);
    const { id, method, result, error } = message;
    if (typeof method === "string") {
      if (id !== undefined) this.#refuse(id, method);
      else this.#keepCommands(message.params);
      return;
    }
    const resolve = typeof id === "number" ? this.#waiting.get(id) : undefined;
    if (resolve === undefined) return;
    if (isJsonObject(error)) {
      const { code, message: text, data } = error;
      resolve({
        type: "error",
        code: Number(code),
        message: typeof text === "string" ? text : JSON.stringify(text),
        data: data ?? null,
      });
    } else resolve({ type: "result", result: toFields(result) });
  }

  #keepCommands(params: Json | undefined): void {
    const update = readUpdate(params);
    if (update.type === "commands") this.#commands = update.commands;
  }

  #refuse(id: Json, method: string): void {
    const error = { code: -32601, message: `Signalbox only tests this agent and does not serve ${method}.` };
    this.#process.send(JSON.stringify({ jsonrpc: "2.0", id, error })).catch(() => {});
  }
}

export function describeErrorAnswer({ message, data }: Extract<ProbeAnswer, { type: "error" }>): string {
  const details = readText(data, "details");
  return details === null ? message : `${message}: ${details}`;
}

/** Explains an answer that is not the expected one. */
export function explainAnswer({ label }: AgentDefinition, method: string, answer: ProbeAnswer): string {
  switch (answer.type) {
    case "result":
      return `${label} answered ${method} with something that the protocol does not allow.`;
    case "error":
      return `${label} answered ${method} with error ${answer.code}: ${describeErrorAnswer(answer)}`;
    case "silent":
      return `${label} did not answer ${method} within ${Math.round(answer.timeoutMs / 1000)} s.`;
    case "gone": {
      const tail = describeOutput(answer.exit);
      return `${label} ${describeEnding(answer.exit, ` before it answered ${method}`)}${tail === "" ? "" : `\n${tail}`}`;
    }
  }
}

function parse(line: Buffer): JsonObject | null {
  try {
    const message: unknown = JSON.parse(line.toString("utf8"));
    return isJsonObject(message) ? message : null;
  } catch {
    return null;
  }
}
