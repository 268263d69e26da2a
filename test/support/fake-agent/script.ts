// What a fake agent can be told to do, step by step.
import { join } from "node:path";

export type Step =
  /** A piece of text, once or many times. */
  | { readonly say: string; readonly times?: number }
  /** One tool call whose output is so many megabytes, in one line. */
  | { readonly megabytes: number }
  /** So many megabytes of one line, without its end. */
  | { readonly endlessMegabytes: number }
  /** One chunk of text of so many characters, in one line. */
  | { readonly longChunk: number }
  /** One tool call, and one question about it, with so many values each. */
  | { readonly values: number }
  /** A `session/update` with this update. */
  | { readonly update: object }
  /** Any JSON-RPC message, `jsonrpc` added. */
  | { readonly send: object }
  /** Any bytes, as they are. */
  | { readonly raw: string }
  /** A line on stderr. */
  | { readonly log: string }
  /** A request to the client; its answer is said as JSON text unless `quiet`. `sessionId` is added to the params. */
  | { readonly ask: string; readonly params?: object; readonly id?: string | number; readonly quiet?: boolean }
  /** Milliseconds; a cancel ends the wait unless the agent ignores it. */
  | { readonly wait: number }
  /** Runs a shell command itself, in its folder. */
  | { readonly shell: string }
  | { readonly exit: number }
  | { readonly crash: NodeJS.Signals }
  /** The prompt is answered with this JSON-RPC error. */
  | { readonly fail: { readonly code: number; readonly message: string; readonly data?: unknown } }
  /** Says the value of a variable of its environment. */
  | { readonly environment: string }
  /** Says what the client sent with its last request of this method. */
  | { readonly heard: string }
  /** A request to the client that comes when the prompt was answered long ago. */
  | { readonly askLate: string; readonly params?: object }
  /** The prompt is answered with this stop reason. */
  | { readonly stop: string };

/** How to start the fake agent: Node runs the TypeScript file itself. */
export const fakeAgentFile = join(import.meta.dirname, "fake-agent.ts");

export function script(...steps: readonly Step[]): string {
  return JSON.stringify(steps);
}

export const toolCall = (toolCallId: string, fields: object = {}): Step => ({
  update: { sessionUpdate: "tool_call", toolCallId, title: "A tool", kind: "other", status: "pending", ...fields },
});

export const toolCallUpdate = (toolCallId: string, fields: object): Step => ({
  update: { sessionUpdate: "tool_call_update", toolCallId, ...fields },
});

const options = [
  { optionId: "yes", name: "Allow once", kind: "allow_once" },
  { optionId: "always", name: "Allow always", kind: "allow_always" },
  { optionId: "no", name: "Reject", kind: "reject_once" },
];

export const askPermission = (toolCallId: string, fields: object = {}): Step => ({
  ask: "session/request_permission",
  params: { toolCall: { toolCallId, ...fields }, options },
});

/** A form to fill in; its answer is said as JSON text. */
export const askForm = (properties: object, more: object = {}): Step => ({
  ask: "elicitation/create",
  params: { mode: "form", message: "Which port?", requestedSchema: { type: "object", properties, ...more } },
});

/** An address to open; `elicitationId` is the agent's own name for it. */
export const askUrl = (url: string, elicitationId = "login"): Step => ({
  ask: "elicitation/create",
  params: { mode: "url", message: "Log in, please.", url, elicitationId },
});
