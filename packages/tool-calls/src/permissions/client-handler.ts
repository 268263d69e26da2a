// Asks the person at the client, once for the same thing, and remembers what they answer with "always".

import type { PermissionOption, PermissionOptionKind, RequestPermissionRequest } from "@agentclientprotocol/sdk";
import { messageOf } from "@signalbox/base";
import { readFields } from "@signalbox/rules";
import type { PermissionRequests } from "../client.ts";
import { defaultMaxLength, jsonCopy } from "../content/json-copy.ts";
import { titleText } from "../describe/title-text.ts";
import { displayName } from "../describe/tool-name.ts";
import { type Log, logToStderr } from "../log.ts";
import { untilAborted } from "../until-aborted.ts";
import { readComment } from "./comment.ts";
import { deniedByNoPerson } from "./denied-by.ts";
import {
  afterRefusal,
  allow,
  deny,
  type PermissionDecision,
  type PermissionHandler,
  type PermissionRequest,
} from "./permission.ts";
import { MemoryPermissionStore, type PermissionStore, type RememberedDecision } from "./store.ts";

export interface ClientPermissionOptions {
  /** Where "always" is remembered; in memory unless given. */
  readonly store?: PermissionStore;
  /** Names the subject of an "always", which the person reads on the button: "Always allow npm test". Defaults to the tool's name. */
  readonly rememberAs?: (request: PermissionRequest) => string;
  readonly log?: Log;
}

type Answer =
  | {
      readonly type: "chosen";
      readonly kind: PermissionOptionKind;
      readonly comment: string | undefined;
      /** The explanation of a denial that no person made. */
      readonly denied: string | undefined;
    }
  /** No decision was made: the question failed, was dismissed or was withdrawn. */
  | { readonly type: "none"; readonly message: string };

interface OpenQuestion {
  readonly args: string;
  readonly answer: Promise<Answer>;
}

export class ClientPermissionHandler implements PermissionHandler {
  readonly #client: PermissionRequests;
  readonly #store: PermissionStore;
  readonly #rememberAs: (request: PermissionRequest) => string;
  readonly #log: Log;
  /** The question that the person sees, by session and by what an "always" would be about. */
  readonly #open = new Map<string, OpenQuestion>();

  constructor(client: PermissionRequests, options: ClientPermissionOptions = {}) {
    this.#client = client;
    this.#store = options.store ?? new MemoryPermissionStore();
    this.#rememberAs = options.rememberAs ?? ((request) => request.tool);
    this.#log = options.log ?? logToStderr;
  }

  /**
   * Calls about the same wait for each other: an "always" decides all of them, any other answer only the calls with the same
   * arguments, and the next one asks for itself.
   */
  async decide(request: PermissionRequest): Promise<PermissionDecision> {
    const about = this.#rememberAs(request);
    const topic = JSON.stringify([request.sessionId, about]);
    const args = JSON.stringify(request.args) ?? "";
    for (;;) {
      request.signal.throwIfAborted();
      const remembered = await this.#remembered(about);
      if (remembered !== undefined) return remembered === "allow" ? allow() : deny(neverAllowed(about));
      const open = this.#open.get(topic);
      if (open === undefined) return readDecision(await this.#ask(topic, args, about, request), request.tool, about);
      const answer = await open.answer;
      const shared = answer.type === "chosen" && (isAlways(answer.kind) || open.args === args);
      if (shared) return readDecision(answer, request.tool, about);
    }
  }

  #ask(topic: string, args: string, about: string, request: PermissionRequest): Promise<Answer> {
    const answer = this.#answer(request, about).then((given) => {
      this.#open.delete(topic);
      return given;
    });
    this.#open.set(topic, { args, answer });
    return answer;
  }

  /** Never rejects. */
  async #answer(request: PermissionRequest, about: string): Promise<Answer> {
    const options = buildOptions(about);
    try {
      const asked = this.#client.requestPermission(buildQuestion(request, options), { signal: request.signal });
      const answer = readAnswer(await untilAborted(asked, request.signal), options);
      if (answer.type === "chosen" && isAlways(answer.kind)) await this.#remember(about, answer.kind);
      return answer;
    } catch (error) {
      return { type: "none", message: `permission could not be asked: ${messageOf(error)}` };
    }
  }

  /** A store that cannot be read remembers nothing: then the person is asked, which is safe. */
  async #remembered(about: string): Promise<RememberedDecision | undefined> {
    try {
      return await this.#store.get(about);
    } catch (error) {
      this.#log(`Remembered permissions cannot be read, so the client is asked: ${messageOf(error)}`);
      return undefined;
    }
  }

  async #remember(about: string, kind: PermissionOptionKind): Promise<void> {
    try {
      await this.#store.set(about, kind === "allow_always" ? "allow" : "reject");
    } catch (error) {
      this.#log(`The answer about ${about} counts now but cannot be remembered: ${messageOf(error)}`);
    }
  }
}

function buildOptions(about: string): PermissionOption[] {
  const name = titleText(displayName(about), 60);
  return [
    { optionId: "allow_once", kind: "allow_once", name: "Allow once" },
    { optionId: "allow_always", kind: "allow_always", name: `Always allow ${name}` },
    { optionId: "reject_once", kind: "reject_once", name: "Reject once" },
    { optionId: "reject_always", kind: "reject_always", name: `Always reject ${name}` },
  ];
}

function buildQuestion(request: PermissionRequest, options: PermissionOption[]): RequestPermissionRequest {
  const { sessionId, toolCallId, tool, kind, title, args, locations, content } = request;
  return {
    sessionId,
    toolCall: {
      toolCallId,
      title,
      name: tool,
      kind,
      status: "pending",
      ...(args === undefined ? {} : { rawInput: jsonCopy(args, defaultMaxLength) }),
      ...(locations.length === 0 ? {} : { locations: [...locations] }),
      ...(content.length === 0 ? {} : { content: [...content] }),
    },
    options,
  };
}

function readAnswer(response: unknown, options: readonly PermissionOption[]): Answer {
  const given = readFields(readFields(response).outcome);
  const { outcome, optionId } = given;
  if (outcome === "cancelled") return { type: "none", message: "the question was dismissed." };
  const chosen = outcome === "selected" ? options.find((option) => option.optionId === optionId) : undefined;
  if (chosen === undefined)
    return { type: "none", message: "the client answered with something that was not offered." };
  return { type: "chosen", kind: chosen.kind, comment: readComment(given), denied: deniedByNoPerson(given) };
}

function isAlways(kind: PermissionOptionKind): boolean {
  return kind === "allow_always" || kind === "reject_always";
}

function readDecision(answer: Answer, tool: string, about: string): PermissionDecision {
  if (answer.type === "none") return deny(`${tool} was not run: ${answer.message}`);
  switch (answer.kind) {
    case "allow_once":
    case "allow_always":
      return allow();
    case "reject_once":
      if (answer.denied !== undefined) return deny(`${tool} was not run. ${answer.denied}`);
      if (answer.comment !== undefined)
        return deny(
          `The user did not allow this call of ${tool}, and nothing was done. ${afterRefusal} They said: ${answer.comment}`,
        );
      return deny(`The user did not allow this call of ${tool}, and nothing was done. ${afterRefusal}`);
    case "reject_always":
      return deny(
        answer.comment === undefined ? neverAllowed(about) : `${neverAllowed(about)} They said: ${answer.comment}`,
      );
  }
}

function neverAllowed(about: string): string {
  return `The user has decided that ${about} is never allowed, and nothing was done. ${afterRefusal}`;
}
