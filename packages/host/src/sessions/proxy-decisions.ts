// Decides about each host that programs of a thread ask for, by rules, list and person, and records every connection.
import { messageOf } from "@signalbox/protocol";
import { describeSubject, formatRule, type Rule } from "@signalbox/rules";
import type { AllowList, ProxyConnection, ProxyRequest, ProxyVerdict } from "@signalbox/sandbox/network";
import { requirePermission } from "../acp/require-permission.ts";
import type { ThreadContext } from "../acp/thread-context.ts";
import type { TurnSignal } from "../permissions/turn-signal.ts";

/** A program does not wait for a person for longer; the question stays open, and the answer counts for its next try. */
const answerMs = 120_000;
/** A host that was refused by a person is not asked about again for this long, nor recorded one by one. */
const refusedMs = 60_000;
const maxQuestions = 8;
const maxRemembered = 1000;

export class ProxyDecisions {
  thread: ThreadContext | undefined;
  readonly #turn: TurnSignal;
  readonly #allow: AllowList;
  readonly #asking = new Map<string, Promise<ProxyVerdict>>();
  readonly #refused = new Map<string, { readonly until: number; readonly reason: string }>();
  readonly #recorded = new Map<string, { readonly until: number; count: number }>();

  constructor(turn: TurnSignal, allow: AllowList) {
    this.#turn = turn;
    this.#allow = allow;
  }

  /** A rule that denies beats the list; the list beats a rule that asks. */
  async decide(request: ProxyRequest): Promise<ProxyVerdict> {
    const { host, port } = request;
    const entry = this.#allow.find(host, port);
    const { thread } = this;
    if (thread === undefined) return entry === undefined ? notListed(request) : { allowed: true, by: entry };
    const { decision, rule } = thread.permissions.broker.preview(
      describeSubject(describeTarget(request), thread.place),
    );
    if (decision === "deny") return { allowed: false, reason: `A rule denies ${host}: ${ruleText(rule)}.` };
    if (entry !== undefined) return { allowed: true, by: entry };
    if (decision === "allow") return { allowed: true, by: ruleText(rule) };
    return await this.#askOnce(thread, request);
  }

  async #askOnce(thread: ThreadContext, request: ProxyRequest): Promise<ProxyVerdict> {
    const { host, port } = request;
    const key = `${host}:${port}`;
    const known = this.#refused.get(key);
    if (known !== undefined && known.until > Date.now()) return { allowed: false, reason: known.reason };
    const open = this.#asking.get(key);
    // Between two turns no one watches, and a program that tries many hosts must not flood the person.
    if (!this.#turn.isRunning || (open === undefined && this.#asking.size >= maxQuestions)) return notListed(request);
    const asking = open ?? this.#ask(thread, request, key);
    this.#asking.set(key, asking);
    const reason = `No one answered in time whether ${host} may be reached. Try again later.`;
    return await within(asking, answerMs, { allowed: false, reason });
  }

  async #ask(thread: ThreadContext, request: ProxyRequest, key: string): Promise<ProxyVerdict> {
    const shown = describeTarget(request);
    try {
      await requirePermission(thread, { subject: describeSubject(shown, thread.place), description: shown });
      return { allowed: true, by: "person" };
    } catch (error) {
      const why = messageOf(error).replace(/^Invalid request: /, ""); // the protocol's own word for it
      const reason = `${request.host} was refused: ${why}`;
      if (this.#refused.size > maxRemembered) this.#refused.clear();
      this.#refused.set(key, { until: Date.now() + refusedMs, reason });
      return { allowed: false, reason };
    } finally {
      this.#asking.delete(key);
    }
  }

  record({ host, port, allowedBy, refused, bytesSent, bytesReceived }: ProxyConnection): void {
    const { thread } = this;
    if (thread === undefined) return;
    if (refused !== null) thread.sandbox.refusedHosts.add({ host, port, reason: refused });
    const more = refused === null ? 0 : this.#countRefusal(`${host}:${port}`);
    if (more === undefined) return;
    const fact = {
      type: "network_connection",
      host,
      port,
      allowed_by: allowedBy,
      refused,
      bytes_sent: bytesSent,
      bytes_received: bytesReceived,
      ...(more > 0 && { more }),
    } as const;
    thread.register.append(thread.place.threadId, { type: "fact", fact });
  }

  /** How many of the same were left out before this one; undefined where this one is left out too. */
  #countRefusal(key: string): number | undefined {
    const known = this.#recorded.get(key);
    if (known !== undefined && known.until > Date.now()) {
      known.count += 1;
      return undefined;
    }
    // Names that a program makes up must not fill the memory.
    if (this.#recorded.size > maxRemembered) this.#recorded.clear();
    this.#recorded.set(key, { until: Date.now() + refusedMs, count: 0 });
    return known?.count ?? 0;
  }
}

function describeTarget({ host, port }: ProxyRequest) {
  const name = host.includes(":") ? `[${host}]` : host;
  const isUsual = port === 443 || port === 80;
  const url = `${port === 80 ? "http" : "https"}://${name}${isUsual ? "" : `:${port}`}/`;
  return { title: `Connect to ${name}${isUsual ? "" : `:${port}`}`, kind: "fetch", rawInput: { url } };
}

function ruleText(rule: Rule | undefined): string {
  return rule === undefined ? "rule" : formatRule(rule.terms);
}

function notListed({ host }: ProxyRequest): ProxyVerdict {
  const reason = `${host} is not on the list of hosts that may be reached from the sandbox (sandbox.network.allow). Ask the person to add it.`;
  return { allowed: false, reason };
}

async function within<Value>(promise: Promise<Value>, ms: number, late: Value): Promise<Value> {
  const { promise: timeUp, resolve } = Promise.withResolvers<Value>();
  const timer = setTimeout(() => resolve(late), ms);
  timer.unref();
  try {
    return await Promise.race([promise, timeUp]);
  } finally {
    clearTimeout(timer);
  }
}
