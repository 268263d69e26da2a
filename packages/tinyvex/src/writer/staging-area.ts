// Stores long texts ahead of their entry, a slice at a time: other entries have their turn in between.
import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import type { Json } from "@signalbox/protocol";
import type { Checkpointer } from "../database/checkpointer.ts";
import { type LogSource, longText } from "../log/long-text.ts";
import type { StagedEntry } from "../register.ts";
import type { Recorder } from "./recorder.ts";

/** Shorter texts are stored with their entry. */
const stagedBytes = 1024 * 1024;

export class StagingArea {
  readonly #recorder: Recorder;
  readonly #checkpointer: Checkpointer;
  readonly #direct: <Result>(step: () => Result) => Result;

  /** `direct` runs a step in a transaction of its own. */
  constructor(recorder: Recorder, checkpointer: Checkpointer, direct: <Result>(step: () => Result) => Result) {
    this.#recorder = recorder;
    this.#checkpointer = checkpointer;
    this.#direct = direct;
  }

  async stage(threadId: string, { update, source }: StagedEntry): Promise<void> {
    if (source === undefined || sizeOfTexts(source) < stagedBytes) return;
    await this.#run(threadId, this.#recorder.stage(threadId, update, source));
  }

  /** The same for a text of the host's own; gives what stands for it in an entry. */
  async stageText(threadId: string, text: string): Promise<Json> {
    if (!text.isWellFormed()) return text;
    const bytes = Buffer.from(text, "utf8");
    const hash = createHash("sha256");
    for (let offset = 0; offset < bytes.length; offset += stagedBytes) {
      hash.update(bytes.subarray(offset, offset + stagedBytes));
      await setImmediate();
    }
    const lifted = { ref: "", hash: hash.digest("hex"), bytes };
    const source = { json: "", refs: [], texts: [lifted] };
    const isStored = await this.#run(threadId, this.#recorder.stage(threadId, null, source));
    return isStored ? longText(lifted.hash, bytes.length, 0) : text;
  }

  /** False when the register is closed, busy or full: then the entry brings its texts along, and its trouble is reported. */
  async #run(threadId: string, steps: Generator<number | null, void>): Promise<boolean> {
    let unfinished: number | null = null;
    try {
      for (;;) {
        const step = this.#direct(() => steps.next());
        if (step.done === true) return true;
        unfinished = step.value;
        if (unfinished !== null) this.#checkpointer.committed(stagedBytes);
        await setImmediate();
        await this.#checkpointer.room();
      }
    } catch {
      if (unfinished !== null) this.#discard(threadId, unfinished);
      return false;
    }
  }

  #discard(threadId: string, blobId: number): void {
    try {
      this.#direct(() => {
        this.#recorder.discardStaged(threadId, blobId);
        return true;
      });
    } catch {
      // It goes with its thread.
    }
  }
}

function sizeOfTexts({ texts }: LogSource): number {
  return texts.reduce((size, { bytes }) => size + bytes.length, 0);
}
