// Counts what an agent asked and has no answer to, or has not read the answer to. An agent that only asks would otherwise fill the host's
// memory and descriptors.

/** No agent works on so many things at the same time. */
const maxRequests = 1000;
/** Files to write come inside of requests, and wait there for a person's answer. */
const maxBytes = 512 * 1024 * 1024;

export class OpenRequests {
  /** The sizes of the requests with an id; a broken agent uses one id several times. */
  readonly #sizes = new Map<unknown, number[]>();
  #count = 0;
  #bytes = 0;

  /** Throws when it is one too many: the agent is broken or hostile. */
  add(id: unknown, size: number): void {
    const same = this.#sizes.get(id);
    if (same === undefined) this.#sizes.set(id, [size]);
    else same.push(size);
    this.#count++;
    this.#bytes += size;
    if (this.#count > maxRequests) throw new RangeError(`more than ${maxRequests} requests and read no answers`);
    if (this.#bytes > maxBytes) throw new RangeError(`requests of more than ${maxBytes} bytes and read no answers`);
  }

  /** The answer was written to the agent. */
  remove(id: unknown): void {
    const same = this.#sizes.get(id);
    const size = same?.shift();
    if (same === undefined || size === undefined) return;
    if (same.length === 0) this.#sizes.delete(id);
    this.#count--;
    this.#bytes -= size;
  }
}
