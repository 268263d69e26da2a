// Stands between a page and its host: keeps the answers to a query or a request back, or lets them fail, until a test lets them through. So their order is certain.
import type { ServerMessage } from "@signalbox/protocol";
import type { Page } from "playwright-core";

interface Asked {
  readonly id?: number;
  readonly name?: string;
  readonly control?: string;
}

export class LateAnswers {
  readonly #states = new Map<string, "held" | "failing">();
  readonly #held = new Map<string, (() => void)[]>();

  /** Before the page is loaded. */
  static async on(page: Page): Promise<LateAnswers> {
    const answers = new LateAnswers();
    await page.routeWebSocket(/\/ws$/, (socket) => {
      const host = socket.connectToServer();
      const names = new Map<number, string>();
      socket.onMessage((message) => {
        const { id, control, name = control } = JSON.parse(String(message)) as Asked;
        if (id !== undefined && name !== undefined) names.set(id, name);
        host.send(message);
      });
      host.onMessage((message) => {
        const { request_id } = JSON.parse(String(message)) as { request_id?: number };
        const name = request_id === undefined ? undefined : names.get(request_id);
        if (name === undefined || request_id === undefined) socket.send(message);
        else answers.#pass(name, request_id, message, (text) => socket.send(text));
      });
    });
    return answers;
  }

  hold(name: string): void {
    this.#states.set(name, "held");
  }

  fail(name: string): void {
    this.#states.set(name, "failing");
  }

  /** Whether an answer is held. */
  isHeld(name: string): boolean {
    return this.#held.has(name);
  }

  /** From now on the answers arrive, first those that were held. */
  letThrough(name: string): void {
    this.#states.delete(name);
    for (const send of this.#held.get(name) ?? []) send();
    this.#held.delete(name);
  }

  #pass(name: string, request_id: number, message: string | Buffer, send: (text: string | Buffer) => void): void {
    const state = this.#states.get(name);
    const error: ServerMessage = { type: "tinyvex.error", request_id, code: "internal", message: "The disk is busy." };
    if (state === undefined) send(message);
    else if (state === "failing") send(JSON.stringify(error));
    else this.#held.set(name, [...(this.#held.get(name) ?? []), () => send(message)]);
  }
}
