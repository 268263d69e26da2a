// A running host: frames of a screen (/ws), frames of an ACP client (/acp), and the lines that an agent sends in a turn. Whatever comes, the host
// answers the next request of another screen, and the turn of another thread goes on.
import { once } from "node:events";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { WebSocket } from "ws";
import { startHost } from "../../../packages/host/src/start-host.ts";
import { fakeAgentFile, type Step, script } from "../../support/fake-agent/script.ts";
import { TestScreen } from "../../support/screen.ts";
import { assert, type Border, type OpenBorder } from "../border.ts";

const answerMs = 20_000;

interface Stage {
  readonly screen: TestScreen;
  readonly thread: string;
  readonly connect: (path: string) => Promise<WebSocket>;
}

/** Opens a host with an agent in one thread, and with another thread that must not notice. */
function onHost(makeCheck: (stage: Stage) => Border["check"]): OpenBorder {
  return async (folder) => {
    for (const name of ["data", "home", "project", "other"]) mkdirSync(join(folder, name));
    // Frames may name any folder; `~` is here.
    process.env.HOME = join(folder, "home");
    writeFileSync(join(folder, "data/config.json"), JSON.stringify({ permission_timeout_s: 1 }));
    const fake = { id: "fake", label: "Fake", command: process.execPath, args: ["--no-warnings", fakeAgentFile] };
    const host = await startHost({
      dataFolder: join(folder, "data"),
      own: { command: process.execPath, args: [], version: "0" },
      agents: [fake],
      host: "127.0.0.1",
      port: 0,
      pageFolder: folder,
    });
    const screen = await TestScreen.connect({ ...host, pid: process.pid, data_dir: host.dataFolder });
    const createThread = async (name: string) =>
      (await screen.ask("session.create", { agent_id: "fake", cwd: join(folder, name) })).thread_id;
    const [thread, other] = [await createThread("project"), await createThread("other")];
    await submit(screen, other, { say: "still here" }, { wait: 3_600_000 });
    const isRunning = async () =>
      (await screen.query("turns.list", { thread_id: other })).rows[0]?.status === "running";
    while (!(await isRunning()));
    const connect = async (path: string) => {
      const headers = { Authorization: `Bearer ${host.token}` };
      const socket = new WebSocket(`ws://127.0.0.1:${host.port}${path}`, { headers });
      socket.on("error", () => {});
      await once(socket, "open");
      return socket;
    };
    const check = makeCheck({ screen, thread, connect });
    return {
      async check(input) {
        await check(input);
        assert(await isRunning(), "another thread does not notice");
      },
      close: async () => {
        screen[Symbol.dispose]();
        await host.stop();
      },
    };
  };
}

let prompts = 0;
async function submit(screen: TestScreen, thread_id: string, ...steps: readonly Step[]): Promise<string> {
  const prompt = [{ type: "text" as const, text: script(...steps) }];
  return (await screen.ask("run.submit", { thread_id, prompt_id: `p${++prompts}`, prompt })).turn_id;
}

/** Sends each line as a frame, and then a frame that is always answered: the answer comes, or the connection is closed with a code. */
function sendFrames(path: string, last: string, isLast: (answer: string) => boolean) {
  return ({ connect, thread }: Stage): Border["check"] => {
    let socket: WebSocket | undefined;
    return async (input) => {
      if (socket?.readyState !== WebSocket.OPEN) socket = await connect(path);
      const connected = socket;
      const frames = input.toString("utf8").replaceAll("THREAD", thread).split("\n");
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      const timer = setTimeout(
        () => reject(new Error("not kept: every frame is answered or ends the connection")),
        answerMs,
      );
      const onMessage = (data: Buffer) => {
        if (isLast(data.toString("utf8"))) resolve();
      };
      const onClose = () => resolve();
      connected.on("message", onMessage).on("close", onClose);
      for (const [index, frame] of frames.entries()) connected.send(index % 7 === 6 ? Buffer.from(frame) : frame);
      connected.send(last);
      await promise.finally(() => {
        clearTimeout(timer);
        connected.off("message", onMessage).off("close", onClose);
      });
    };
  };
}

const lastQuery = JSON.stringify({ id: "fuzz-last", control: "tvx.query", name: "threads.list", args: { limit: 1 } });
export const openScreenFrames = onHost(
  sendFrames("/ws", lastQuery, (answer) => answer.includes('"request_id":"fuzz-last"')),
);

const lastRequest = JSON.stringify({ jsonrpc: "2.0", id: "fuzz-last", method: "session/list", params: {} });
export const openAcpFrames = onHost(sendFrames("/acp", lastRequest, (answer) => answer.includes('"id":"fuzz-last"')));

/** The agent writes the input in a turn: the turn ends with a reason, and the next prompt works. */
export const openAgentTurns = onHost(({ screen, thread }) => {
  const waitForEnd = async (turnId: string) => {
    for (const limit = Date.now() + answerMs; ; ) {
      const { rows } = await screen.query("turns.list", { thread_id: thread, limit: 2 });
      const turn = rows.find(({ turn_id }) => turn_id === turnId);
      if (turn !== undefined && turn.ended_at !== null) return turn;
      assert(Date.now() < limit, "a turn ends");
    }
  };
  return async (input) => {
    const raw = `${input.toString("utf8").replaceAll("THREAD", thread)}\n`;
    const { stop_reason, error } = await waitForEnd(await submit(screen, thread, { raw }));
    assert((stop_reason ?? error?.message ?? "") !== "", "a turn ends with a reason");
  };
});
