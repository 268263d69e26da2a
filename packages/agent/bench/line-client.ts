// A client that costs next to nothing, so that the agent is measured and not the client: lines in, lines out.
import { type ChildProcessWithoutNullStreams, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";

const root = join(import.meta.dirname, "../../..");
/** The words after `node`, as `./signalbox` has them. */
export const program = ["--max-semi-space-size=4", join(root, "packages/cli/dist/main.js")];

export class LineClient {
  readonly process: ChildProcessWithoutNullStreams;
  /** Called with every line and when it came. */
  onLine: (line: string, at: number) => void = () => {};
  readonly #answers = new Map<number, (result: unknown) => void>();
  #nextId = 1;
  #rest = "";

  constructor(flags: readonly string[], env: NodeJS.ProcessEnv) {
    this.process = spawn(process.execPath, [...program, "agent", ...flags], { env: { ...process.env, ...env } });
    this.process.stderr.pipe(process.stderr);
    this.process.stdout.setEncoding("utf8").on("data", (text: string) => {
      const at = performance.now();
      const lines = (this.#rest + text).split("\n");
      this.#rest = lines.pop() ?? "";
      for (const line of lines) this.#receive(line, at);
    });
  }

  async request<T>(method: string, params: object): Promise<T> {
    const id = this.#nextId++;
    const answer = new Promise((resolve) => this.#answers.set(id, resolve));
    this.process.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
    return (await answer) as T;
  }

  async open(cwd: string): Promise<string> {
    await this.request("initialize", { protocolVersion: 1, clientCapabilities: {} });
    const { sessionId } = await this.request<{ sessionId: string }>("session/new", { cwd, mcpServers: [] });
    return sessionId;
  }

  async prompt(sessionId: string, text: string): Promise<void> {
    const { stopReason } = await this.request<{ stopReason: string }>("session/prompt", {
      sessionId,
      prompt: [{ type: "text", text }],
    });
    if (stopReason !== "end_turn") throw new Error(`the turn ended by ${stopReason}`);
  }

  async close(): Promise<void> {
    const exit = once(this.process, "exit");
    this.process.stdin.end();
    await exit;
  }

  #receive(line: string, at: number): void {
    if (line.startsWith('{"jsonrpc":"2.0","id":')) {
      const { id, result, error } = JSON.parse(line) as { id: number; result?: unknown; error?: { message: string } };
      if (error !== undefined) throw new Error(error.message);
      this.#answers.get(id)?.(result);
    } else this.onLine(line, at);
  }
}

/** The scripted model in a process of its own. */
export class ModelProcess implements AsyncDisposable {
  readonly url: string;
  readonly #process: ChildProcessWithoutNullStreams;

  private constructor(child: ChildProcessWithoutNullStreams, url: string) {
    this.#process = child;
    this.url = url;
  }

  static async start(script: string): Promise<ModelProcess> {
    const child = spawn(process.execPath, ["--no-warnings", join(root, "test/support/model-server/serve.ts"), script]);
    child.stderr.pipe(process.stderr);
    const [url] = (await once(child.stdout.setEncoding("utf8"), "data")) as [string];
    return new ModelProcess(child, url.trim());
  }

  /** What the model itself has taken so far, over all requests. */
  async spent(): Promise<{ readonly requests: number; readonly ms: number }> {
    return (await (await fetch(`${this.url}/spent`)).json()) as { requests: number; ms: number };
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exit = once(this.#process, "exit");
    this.#process.stdin.end();
    await exit;
  }
}

/** How to reach the scripted model as each provider. */
export function providersAt(url: string): Readonly<Record<string, readonly string[]>> {
  const flags = (provider: string, model: string, base: string) => [
    "--provider",
    provider,
    "--model",
    model,
    "--base-url",
    `${url}${base}`,
  ];
  return {
    anthropic: flags("anthropic", "claude-sonnet-4-5", "/v1"),
    openai: flags("openai", "local", "/v1"),
    gemini: flags("gemini", "gemini-2.5-pro", "/v1beta"),
    openrouter: flags("openrouter", "some/model", "/api/v1"),
    ollama: flags("ollama", "qwen3", ""),
  };
}
