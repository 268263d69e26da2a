// Connects ACP clients that come over a WebSocket: one frame is one message.
import type { WebSocket } from "ws";
import { AcpClient } from "../acp-server/acp-client.ts";
import type { HostServices } from "./host-services.ts";
import { Outbox } from "./outbox.ts";

export function connectAcpClient(socket: WebSocket, address: URLSearchParams, services: HostServices): void {
  const client = new AcpClient(services, new Outbox(socket), {
    agentId: address.get("agent"),
    threadId: address.get("thread"),
    hasPositions: address.has("positions"),
  });
  // With the default binary type every frame is one Buffer.
  socket.on("message", (data: Buffer, isBinary) => client.receive(isBinary ? null : data.toString("utf8")));
  socket.on("close", () => client.end());
  // A close always follows, and is handled.
  socket.on("error", () => {});
}
