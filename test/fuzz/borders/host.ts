// A running host: frames of a screen (/ws), frames of an ACP client (/acp), and the lines that an agent sends in a turn. Whatever comes, the host
// answers the next request of another screen, and the turn of another thread goes on.
import { once } from "node:events";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { WebSocket } from "ws";
import { HostInThisProcess } from "../../support/host-in-this-process.ts";
import { assert, type Border, type OpenBorder } from "../border.ts";

const answerMs = 20_000;

interface Stage {
  readonly host: HostInThisProcess;
  readonly thread: string;
  readonly connect: (path: string) => Promise<WebSocket>;
}

/** Opens a host with an agent in one thread, and with another thread that must not notice. */
function onHost(makeCheck: (stage: Stage) => Border["check"]): OpenBorder {
  return async (folder) => {
    // Frames may name any folder; `~` is here.
    process.env.HOME = join(folder, "home");
    mkdirSync(process.env.HOME);
    const host = await HostInThisProcess.start(folder, { config: { permission_timeout_s: 1 } });
    const { token, port } = host.ready;
    const thread = await host.createThread("project");
    const connect = async (path: string) => {
      const headers = { Authorization: `Bearer ${token}` };
      const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, { headers });
      socket.on("error", () => {});
      await once(socket, "open");
      return socket;
    };
    const check = makeCheck({ host, thread, connect });
    return {
      async check(input) {
        await check(input);
        assert(await host.isUndisturbed(), "another thread does not notice");
      },
      close: () => host[Symbol.asyncDispose](),
    };
  };
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
export const openAgentTurns = onHost(({ host, thread }) => {
  const waitForEnd = async (turnId: string) => {
    for (const limit = Date.now() + answerMs; ; ) {
      const { rows } = await host.screen.query("turns.list", { thread_id: thread, limit: 2 });
      const turn = rows.find(({ turn_id }) => turn_id === turnId);
      if (turn !== undefined && turn.ended_at !== null) return turn;
      assert(Date.now() < limit, "a turn ends");
    }
  };
  return async (input) => {
    const raw = `${input.toString("utf8").replaceAll("THREAD", thread)}\n`;
    const { stop_reason, error } = await waitForEnd(await host.submitSteps(thread, { raw }));
    assert((stop_reason ?? error?.message ?? "") !== "", "a turn ends with a reason");
  };
});
