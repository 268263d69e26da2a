// A command that runs through the host is an item of the timeline, from the moment the agent asks for it: first with the question, if there is one,
// then with the terminal. If a call of the agent shows the same terminal, a page draws the item inside that call.
import type { TerminalExitStatus } from "@agentclientprotocol/sdk";
import type { JsonObject } from "@signalbox/protocol";
import { HostItem, isAllowedAlready, type PlannedAction } from "./require-permission.ts";
import type { ThreadContext } from "./thread-context.ts";

export class TerminalItem {
  readonly #item: HostItem;
  readonly #thread: ThreadContext;

  private constructor(thread: ThreadContext, item: HostItem) {
    this.#thread = thread;
    this.#item = item;
  }

  static async open(thread: ThreadContext, description: JsonObject): Promise<TerminalItem> {
    const item = new HostItem(thread, { ...description, status: "pending" });
    await item.announce();
    return new TerminalItem(thread, item);
  }

  /** Throws when the answer is no. */
  async requirePermission(action: PlannedAction): Promise<void> {
    if (!isAllowedAlready(this.#thread, action)) await this.#item.ask(action.subject);
  }

  /** The command cannot be run. */
  async fail(reason: string): Promise<void> {
    await this.#item.fail(reason);
  }

  begin(terminalId: string): void {
    this.#item.update({ status: "in_progress", content: [{ type: "terminal", terminalId }] });
  }

  end({ exitCode }: TerminalExitStatus): void {
    this.#item.update({ status: exitCode === 0 ? "completed" : "failed" });
  }
}
