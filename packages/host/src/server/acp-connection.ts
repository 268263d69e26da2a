// Connects ACP clients that come over a WebSocket: one frame is one message.
import type { WebSocket } from "ws";
import { AcpClient } from "../acp-server/acp-client.ts";
import { describeFrameProblem } from "./frame-limits.ts";
import type { HostServices } from "./host-services.ts";
import { Outbox } from "./outbox.ts";

export function connectAcpClient(socket: WebSocket, address: URLSearchParams, services: HostServices): void {
  const outbox = new Outbox(socket);
  const client = new AcpClient(services, outbox, {
    agentId: address.get("agent"),
    threadId: address.get("thread"),
    hasPositions: address.has("positions"),
  });
  // With the default binary type every frame is one Buffer.
  socket.on(
    "message",
    outbox.guard((data: Buffer, isBinary: boolean) => {
      const problem = isBinary ? "Messages are JSON text; this one was binary." : describeFrameProblem(data);
      const received = client.receive(problem === undefined ? data.toString("utf8") : { problem });
      // A client that does not read its answers is not read either.
      if (outbox.isFull && !socket.isPaused) {
        socket.pause();
        outbox.onceDrained(() => socket.resume());
      }
      return received;
    }),
  );
  socket.on(
    "close",
    outbox.guard(() => client.end()),
  );
  // A close always follows, and is handled.
  socket.on("error", () => {});
}
