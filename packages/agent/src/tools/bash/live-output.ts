// Shows the end of a running command's output to the person, a few times a second.
import type { ToolCallContent } from "@agentclientprotocol/sdk";
import { textContent } from "@signalbox/tool-calls";

const interval = 200;
/** Each look is sent whole, so it stays small; all of it follows when the command has ended. */
const shownLength = 8000;

export class LiveOutput implements Disposable {
  readonly #show: (content: readonly ToolCallContent[]) => void;
  #tail = "";
  #timer: NodeJS.Timeout | undefined;

  constructor(show: (content: readonly ToolCallContent[]) => void) {
    this.#show = show;
  }

  add(text: string): void {
    this.#tail = (this.#tail + text).slice(-shownLength);
    // Not immediately: most commands end sooner, and their output is then sent only once.
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.#show([textContent(this.#tail)]);
    }, interval);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}
