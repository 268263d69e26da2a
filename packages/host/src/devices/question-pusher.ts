// Sends each question that waits for a person to the paired devices that want notifications, once, and knows what each was asked: a device may
// deny from its notification only what it was sent.
import { guard } from "@signalbox/base";
import { messageOf, type QueryPage, type QuestionRow } from "@signalbox/protocol";
import { HostError } from "../data/host-error.ts";
import type { Device, DeviceStore, PushTarget } from "./device-store.ts";
import { makeVapidHeader } from "./push-key.ts";
import type { PushNetwork } from "./send-push.ts";

/** The message to a device, with no more than it needs to show the question. */
interface PushMessage {
  readonly type: QuestionRow["type"];
  readonly question_id: string;
  readonly thread_id: string;
  readonly title: string;
  readonly body: string;
  /** It can be denied from the notification: a form cannot. */
  readonly can_deny: boolean;
}

interface Sources {
  readonly devices: DeviceStore;
  readonly questions: () => Promise<QueryPage<"questions.list">>;
  readonly agentLabel: (agentId: string) => string;
  /** Problems are for the log: no one waits for a notification to be sent. */
  readonly onProblem: (problem: string) => void;
}

/** Longer commands end with … on the notification; the page shows all. */
const maxBody = 300;
const maxRemembered = 1000;

export class QuestionPusher {
  readonly #sources: Sources;
  readonly #network: PushNetwork | undefined;
  /** `DEVICE QUESTION` of what was sent, the oldest first. */
  readonly #sent = new Set<string>();
  #isRunning = false;
  #isDirty = false;

  constructor(sources: Sources, network?: PushNetwork) {
    this.#sources = sources;
    this.#network = network;
  }

  /** Rejects with a HostError where nothing could be sent to it: no address of a push service, or no keys. */
  async checkTarget(target: PushTarget): Promise<void> {
    const { checkEndpoint, encryptPush } = await loadSending();
    checkEndpoint(target.endpoint, this.#network);
    encryptPush("", target);
  }

  /** Something may wait: looks what, and sends what is new. Calls that come meanwhile are one more look. */
  refresh(): void {
    if (!this.#sources.devices.list().some(({ push }) => push !== null)) return;
    this.#isDirty = true;
    if (this.#isRunning) return;
    this.#isRunning = true;
    this.#guard(() =>
      this.#run().finally(() => {
        this.#isRunning = false;
      }),
    );
  }

  /** Whether this device was asked this question. */
  wasSent(deviceId: string, questionId: string): boolean {
    return this.#sent.has(`${deviceId} ${questionId}`);
  }

  async #run(): Promise<void> {
    while (this.#isDirty) {
      this.#isDirty = false;
      const { rows } = await this.#sources.questions().catch(() => ({ rows: [] }));
      // Not awaited: a slow service must not delay the next question. Problems are handled there.
      for (const question of rows)
        for (const device of this.#sources.devices.list()) this.#guard(() => this.#send(device, question));
    }
  }

  #guard(work: () => Promise<void>): void {
    const onError = (error: unknown) =>
      this.#sources.onProblem(`A notification could not be sent: ${messageOf(error)}`);
    guard(onError, work)();
  }

  async #send({ id, push }: Device, question: QuestionRow): Promise<void> {
    const key = `${id} ${readId(question)}`;
    if (push === null || this.#sent.has(key)) return;
    this.#remember(key);
    const { devices, onProblem } = this.#sources;
    const { checkEndpoint, encryptPush, sendPush } = await loadSending();
    try {
      const url = checkEndpoint(push.endpoint, this.#network);
      const body = encryptPush(JSON.stringify(this.#makeMessage(question)), push);
      if ((await sendPush(url, body, makeVapidHeader(devices.pushKey, url), this.#network)) === "gone")
        devices.setPush(id, null);
    } catch (error) {
      onProblem(`A notification could not be sent: ${messageOf(error)}`);
      // A browser's keys that are no keys never become any.
      if (error instanceof HostError && devices.list().some((device) => device.id === id)) devices.setPush(id, null);
    }
  }

  #remember(key: string): void {
    this.#sent.add(key);
    for (const oldest of this.#sent) {
      if (this.#sent.size <= maxRemembered) return;
      this.#sent.delete(oldest);
    }
  }

  #makeMessage(question: QuestionRow): PushMessage {
    const { thread_id, thread_title, agent_id, type } = question;
    return {
      type,
      question_id: readId(question),
      thread_id,
      title: `${this.#sources.agentLabel(agent_id)}: ${thread_title ?? "Untitled"}`.slice(0, 120),
      body: shorten(describeQuestion(question)),
      can_deny: type === "permission",
    };
  }
}

/** Loaded with the first device that wants notifications: a host that starts does not need it. */
async function loadSending() {
  const [sending, encrypting] = await Promise.all([import("./send-push.ts"), import("./encrypt-push.ts")]);
  return { ...sending, ...encrypting };
}

function readId(question: QuestionRow): string {
  return question.type === "permission" ? question.permission_id : question.elicitation_id;
}

/** Prefers what the host knows about the call to the agent's own title. */
function describeQuestion(question: QuestionRow): string {
  if (question.type === "elicitation") return question.message;
  const { subject, hunks, title } = question;
  if (typeof subject?.command === "string") return `Run: ${subject.command}`;
  if (hunks.length > 0) return `Change: ${hunks.map(({ path }) => path).join(", ")}`;
  if (subject !== null && subject.paths.length > 0) return `${subject.kind}: ${subject.paths.join(", ")}`;
  if (subject !== null && subject.hosts.length > 0) return `Reach: ${subject.hosts.join(", ")}`;
  return title ?? "Needs permission";
}

/** On one line, and without letters that change how the others are read. */
function shorten(text: string): string {
  const plain = text.replaceAll(/[\p{Cc}\p{Cf}\s]+/gu, " ").trim();
  return plain.length <= maxBody ? plain : `${plain.slice(0, maxBody)} …`;
}
