// Ends the start of an agent that does not answer. The limit is for silence: an agent that prints or sends something is slow, not mute, and gets
// more time, up to ten times the limit. A person can give it more.
import { isJsonObject } from "@signalbox/protocol";
import type { AgentActivity } from "../agents/agent-activity.ts";
import { HostError } from "../data/host-error.ts";

const maxFactor = 10;

export class StartLimit {
  readonly #limitMs: number;
  readonly #activity: AgentActivity;
  /** When the present step began, or was last given more time. */
  #since = 0;

  constructor(limitMs: number, activity: AgentActivity) {
    this.#limitMs = limitMs;
    this.#activity = activity;
  }

  /** Gives the present step its whole time again. */
  extend(): void {
    this.#since = Date.now();
  }

  /** Does a request of the start. Throws a HostError when the agent does not answer in time. */
  async within<Result>(label: string, method: string, step: string, work: () => Promise<Result>): Promise<Result> {
    this.extend();
    this.#activity.beginStep(step, () => this.#endsAt);
    const { promise: silence, reject } = Promise.withResolvers<never>();
    let timer: NodeJS.Timeout | undefined;
    const check = () => {
      const left = this.#endsAt - Date.now();
      if (left > 0) timer = setTimeout(check, left);
      else reject(this.#noAnswer(label, method));
    };
    check();
    try {
      return await Promise.race([work(), silence]);
    } finally {
      clearTimeout(timer);
      this.#activity.endSteps();
    }
  }

  get #endsAt(): number {
    const lastSign = Math.max(this.#since, this.#activity.lastOutputAt ?? 0);
    return Math.min(lastSign + this.#limitMs, this.#since + maxFactor * this.#limitMs);
  }

  #noAnswer(label: string, method: string): HostError {
    const seconds = Math.round((Date.now() - this.#since) / 1000);
    const output = this.#activity.output.trim();
    const printed = output === "" ? "It printed nothing." : `It printed:\n${output.slice(-4000)}`;
    const message = `${label} did not answer ${method} within ${seconds} s, so it was stopped. It may not speak the Agent Client Protocol, or wait for a log-in or the network. ${printed}`;
    return new HostError("agent_failed", message, { details: { reason: noAnswer } });
  }
}

const noAnswer = "no_answer";

/** Whether the agent was given up because it did not answer. */
export function isNoAnswer(error: unknown): boolean {
  return error instanceof HostError && isJsonObject(error.details) && error.details.reason === noAnswer;
}
