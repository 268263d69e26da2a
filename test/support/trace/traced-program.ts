// The host and its agent from source, in processes that say which functions ran since they were last asked, and a model that waits for a word
// before it answers.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { createServer as createHttpServer, type Server as HttpServer, type ServerResponse } from "node:http";
import { type AddressInfo, createServer, type Server } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type Ready, root, TemporaryFolder } from "../host-process.ts";
import { anthropic } from "../model-server/wires/anthropic.ts";
import { TestScreen } from "../screen.ts";
import { Watch } from "../watch.ts";

const preload = join(import.meta.dirname, "traced-process.mjs");
const main = join(root, "packages/cli/src/main.ts");
const sources = new URL("packages/", `file://${root}/`).href;

type ProcessName = "host" | "agent";
/** A function that ran; an anonymous one has an empty name. */
export interface TracedFunction {
  /** Below `packages`. */
  readonly file: string;
  readonly name: string;
}

type Take = () => Promise<readonly TracedFunction[]>;

export class TracedProgram implements AsyncDisposable {
  readonly screen: TestScreen;
  readonly project: string;
  readonly #folder: TemporaryFolder;
  readonly #child: ChildProcess;
  readonly #collector: Collector;
  readonly #model: WaitingModel;

  private constructor(
    folder: TemporaryFolder,
    child: ChildProcess,
    screen: TestScreen,
    collector: Collector,
    model: WaitingModel,
  ) {
    this.#folder = folder;
    this.#child = child;
    this.screen = screen;
    this.#collector = collector;
    this.#model = model;
    this.project = folder.in("project");
  }

  static async start(): Promise<TracedProgram> {
    const folder = new TemporaryFolder();
    const collector = await Collector.listen(folder.in("trace.sock"));
    const model = await WaitingModel.listen();
    for (const name of ["data", "project", "home"]) mkdirSync(folder.in(name));
    const trace = (name: ProcessName) => ({
      SIGNALBOX_TRACE_SOCKET: folder.in("trace.sock"),
      SIGNALBOX_TRACE_NAME: name,
    });
    const traced = {
      label: "Traced",
      command: process.execPath,
      args: ["--no-warnings", "--import", preload, main, "agent", "--provider", "anthropic", "--model", "m"],
      env: {
        ...trace("agent"),
        ANTHROPIC_BASE_URL: model.url,
        ANTHROPIC_API_KEY: "k",
        SIGNALBOX_HOME: folder.in("home"),
      },
    };
    writeFileSync(join(folder.in("data"), "config.json"), JSON.stringify({ agents: { traced } }));
    const serve = ["serve", "--no-open", "--json", "--port", "0", "--data-dir", folder.in("data")];
    const child = spawn(process.execPath, ["--no-warnings", "--import", preload, main, ...serve], {
      stdio: ["pipe", "pipe", "inherit"],
      env: { ...process.env, SIGNALBOX_STOP_WITH_STDIN: "1", ...trace("host") },
    });
    for await (const line of createInterface({ input: child.stdout })) {
      const screen = await TestScreen.connect(JSON.parse(line) as Ready);
      return new TracedProgram(folder, child, screen, collector, model);
    }
    throw new Error("the host printed no ready line");
  }

  /** Does the work; `functions` are those of our sources that ran in the meantime, in both processes. */
  async trace<Result>(
    work: () => Promise<Result>,
  ): Promise<{ readonly result: Result; readonly functions: readonly TracedFunction[] }> {
    const processes = [this.#collector.find("host"), this.#collector.find("agent")];
    for (const take of processes) await take();
    const result = await work();
    const functions: TracedFunction[] = [];
    for (const take of processes) functions.push(...(await take()));
    return { result, functions };
  }

  /** Resolves when the agent has asked the model. */
  asked(): Promise<ModelAnswer> {
    return this.#model.asked();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.screen[Symbol.dispose]();
    this.#child.kill();
    if (this.#child.exitCode === null) await once(this.#child, "exit");
    this.#collector.close();
    this.#model.close();
    this.#folder[Symbol.dispose]();
  }
}

/** Listens to the traced processes. */
class Collector {
  readonly #server: Server;
  readonly #processes = new Map<string, Take>();

  private constructor(server: Server) {
    this.#server = server;
    server.on("connection", (socket) => {
      const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
      const readLine = async (): Promise<unknown> => JSON.parse(String((await lines.next()).value));
      void readLine().then((name) => {
        this.#processes.set(String(name), async () => {
          socket.write("take\n");
          const ran = (await readLine()) as readonly { readonly url: string; readonly name: string }[];
          return ran.flatMap(({ url, name: ranName }) =>
            url.startsWith(sources) ? [{ file: url.slice(sources.length), name: ranName }] : [],
          );
        });
      });
    });
  }

  static async listen(path: string): Promise<Collector> {
    const server = createServer();
    server.listen(path);
    await once(server, "listening");
    return new Collector(server);
  }

  find(name: ProcessName): Take {
    const take = this.#processes.get(name);
    if (take === undefined) throw new Error(`the ${name} is not traced`);
    return take;
  }

  close(): void {
    this.#server.close();
  }
}

/** An answer that the test gives piece by piece. */
interface ModelAnswer {
  /** Sends one word and leaves the answer open. */
  begin(word: string): void;
  end(): void;
}

class WaitingModel {
  readonly url: string;
  readonly #server: HttpServer;
  readonly #asked: ServerResponse[] = [];
  readonly #watch = new Watch();

  private constructor(server: HttpServer) {
    this.#server = server;
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    server.on("request", (request, response) => {
      request.resume().on("end", () => {
        if (request.method !== "POST") return response.writeHead(404).end("{}");
        this.#asked.push(response);
        this.#watch.notify();
        return undefined;
      });
    });
  }

  static async listen(): Promise<WaitingModel> {
    const server = createHttpServer();
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    return new WaitingModel(server);
  }

  async asked(): Promise<ModelAnswer> {
    const response = await this.#watch.until(() => this.#asked.shift());
    let rest: readonly string[] = [];
    return {
      begin: (word) => {
        const frames = anthropic.frames({ text: [word] }, "m");
        const count = frames.findIndex((frame) => frame.includes(word)) + 1;
        rest = frames.slice(count);
        response.writeHead(200, { "content-type": anthropic.contentType });
        response.write(frames.slice(0, count).join(""));
      },
      end: () => void response.end(rest.join("")),
    };
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
