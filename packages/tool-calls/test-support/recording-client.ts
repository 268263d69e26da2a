// Clients for tests: one that only records, and the official SDK's client at the other end of a real NDJSON stream.
import {
  agent,
  client,
  ndJsonStream,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from "@agentclientprotocol/sdk";
import { type AcpClient, wrapClient } from "../src/client.ts";

type Answer = (request: RequestPermissionRequest) => RequestPermissionResponse | Promise<RequestPermissionResponse>;

interface RecordingClient extends AcpClient {
  readonly updates: SessionUpdate[];
  readonly questions: RequestPermissionRequest[];
}

/** Takes every update immediately and answers questions with `answer`. */
export function recordingClient(answer: Answer = () => selected("allow_once")): RecordingClient {
  const updates: SessionUpdate[] = [];
  const questions: RequestPermissionRequest[] = [];
  return {
    updates,
    questions,
    sessionUpdate: ({ update }) => {
      updates.push(update);
    },
    requestPermission: async (request) => {
      questions.push(request);
      return answer(request);
    },
  };
}

export function selected(optionId: string): RequestPermissionResponse {
  return { outcome: { outcome: "selected", optionId } };
}

export interface SdkClient extends RecordingClient {
  /** Ends the connection from the client's side. */
  close(): void;
}

/** The official SDK on both sides, with everything that passes between them serialised. */
export function sdkClient(answer: Answer = () => selected("allow_once")): SdkClient {
  const toAgent = new TransformStream<Uint8Array, Uint8Array>();
  const toClient = new TransformStream<Uint8Array, Uint8Array>();
  const updates: SessionUpdate[] = [];
  const questions: RequestPermissionRequest[] = [];
  const clientSide = client({ name: "test" })
    .onNotification("session/update", ({ params }) => {
      updates.push(params.update);
    })
    .onRequest("session/request_permission", ({ params }) => {
      questions.push(params);
      return answer(params);
    })
    .connect(ndJsonStream(toAgent.writable, toClient.readable));
  const agentSide = agent({ name: "test" }).connect(ndJsonStream(toClient.writable, toAgent.readable));
  return {
    updates,
    questions,
    ...wrapClient(agentSide.client),
    close: () => {
      clientSide.close();
      agentSide.close();
    },
  };
}
