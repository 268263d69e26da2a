// Connects `signalbox proxy`: each frame is a line that it passed on. What cannot be recorded closes the connection with the reason.
import { messageOf, recordedAgentId } from "@signalbox/protocol";
import type { WebSocket } from "ws";
import { ProxyRecording } from "../acp-server/proxy-recording.ts";
import type { HostServices } from "./host-services.ts";
import { guardSocket } from "./outbox.ts";

const internalError = 1011;
/** As many bytes as a close frame can have. */
const maxReasonBytes = 120;
const maxNameLength = 100;
/** Frames that wait to be recorded, in bytes. The rest waits in `signalbox proxy`. */
const maxWaitingBytes = 1024 * 1024;
/** Added to the length of each frame, because handling even a short one has a cost. */
const frameCost = 1024;

export function connectProxy(
  socket: WebSocket,
  address: URLSearchParams,
  { register }: Pick<HostServices, "register">,
): void {
  const stop = (problem: string) =>
    socket.close(
      internalError,
      Buffer.from(problem)
        .subarray(0, maxReasonBytes)
        .toString("utf8")
        .replace(/\uFFFD$/, ""),
    );
  const recording = new ProxyRecording({
    register,
    agentId: recordedAgentId((address.get("name") ?? "agent").slice(0, maxNameLength)),
    cwd: address.get("cwd") ?? "/",
    onProblem: stop,
  });
  const unfollow = register.onTrouble((trouble) => {
    if (trouble !== null) stop(messageOf(trouble));
  });
  let waiting = 0;
  socket.on(
    "message",
    guardSocket(socket, async (data: Buffer) => {
      const cost = data.length + frameCost;
      waiting += cost;
      if (waiting > maxWaitingBytes) socket.pause();
      await recording.receive(data);
      waiting -= cost;
      if (socket.isPaused && waiting <= maxWaitingBytes) socket.resume();
    }),
  );
  socket.on(
    "close",
    guardSocket(socket, () => {
      unfollow();
      return recording.end();
    }),
  );
  // A close always follows, and is handled.
  socket.on("error", () => {});
}
