// Keeps the keys that a person gave to Signalbox: in the system's key ring where there is one, else in a file that only the user can read.
// Each key is for one agent alone; the environment always wins over it.
import { chmodSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { z } from "zod";
import { findKeyRing, type KeyRing } from "./key-ring.ts";

/** What is known of a key without its value. */
export interface KeptKey {
  /** The id of the agent that gets it. */
  readonly agent: string;
  /** The environment variable in which the agent gets it. */
  readonly variable: string;
  readonly last_four: string;
  readonly place: "key_ring" | "file";
  readonly saved_at: number;
}

const entry = z.object({
  agent: z.string(),
  variable: z.string(),
  last_four: z.string(),
  saved_at: z.number(),
  /** Only where no key ring has it. */
  value: z.string().optional(),
});
const keyFile = z.object({ keys: z.array(entry) });
type Entry = z.infer<typeof entry>;

/** Longer than the key of any provider. */
const maxLength = 4096;

export class KeyStore {
  readonly #folder: string;
  readonly #file: string;
  readonly #ring: KeyRing | undefined;
  /** The values from the key ring, by key and time of saving. */
  readonly #read = new Map<string, string>();

  constructor(dataFolder: string, ring: KeyRing | undefined = findKeyRing()) {
    this.#folder = resolve(dataFolder);
    this.#file = resolve(dataFolder, "keys.json");
    this.#ring = ring;
  }

  /** Where the next key goes, for a person. */
  get place(): string {
    return this.#ring?.name ?? this.#file;
  }

  /** Without the values. */
  list(): readonly KeptKey[] {
    return this.#entries().map(({ value, ...known }) => ({
      ...known,
      place: value === undefined ? "key_ring" : "file",
    }));
  }

  /** Asks the key ring for what it has. A key ring that is locked asks the person, so nothing but the start of an agent waits for it. */
  async load(): Promise<void> {
    for (const kept of this.#entries()) if (kept.value === undefined) await this.#fromRing(kept);
  }

  /** The values of an agent's keys, by variable; those of the key ring only after `load`. */
  readAgentKeys(agent: string): Readonly<Record<string, string>> {
    const own = this.#entries().filter((kept) => kept.agent === agent);
    const values = own.map((kept) => [kept.variable, kept.value ?? this.#read.get(this.#nameEntry(kept))] as const);
    return Object.fromEntries(values.filter((pair): pair is readonly [string, string] => pair[1] !== undefined));
  }

  /** Every value, to keep it out of logs. */
  allValues(): readonly string[] {
    const values = this.#entries().map((kept) => kept.value ?? this.#read.get(this.#nameEntry(kept)));
    return values.filter((value) => value !== undefined);
  }

  /** Throws where the value cannot be a key, or it cannot be kept. */
  async save(agent: string, variable: string, value: string): Promise<KeptKey> {
    const key = readKey(value);
    const known = {
      agent,
      variable,
      last_four: key.length < 12 ? "" : key.slice(-4),
      saved_at: Date.now(),
    };
    const isInRing = await this.#toRing(known, key);
    const others = this.#entries().filter((other) => !isSame(other, known));
    this.#write([...others, isInRing ? known : { ...known, value: key }]);
    return { ...known, place: isInRing ? "key_ring" : "file" };
  }

  async remove(agent: string, variable: string): Promise<void> {
    const entries = this.#entries();
    const gone = entries.find((other) => isSame(other, { agent, variable }));
    if (gone === undefined) return;
    this.#write(entries.filter((other) => other !== gone));
    if (gone.value === undefined) await this.#ring?.remove(this.#account(gone));
  }

  async #fromRing(kept: Entry): Promise<void> {
    const id = this.#nameEntry(kept);
    if (this.#read.has(id)) return;
    // A key ring that does not answer has no key for us: the agent then says that it needs one.
    const value = await this.#ring?.read(this.#account(kept)).catch(() => undefined);
    if (value !== undefined) this.#read.set(id, value);
  }

  #nameEntry(kept: Entry): string {
    return `${this.#account(kept)} ${kept.saved_at}`;
  }

  /** False where there is no key ring, or it does not work: a machine without a desktop often has one that is locked. */
  async #toRing(known: Entry, value: string): Promise<boolean> {
    if (this.#ring === undefined) return false;
    try {
      await this.#ring.write(this.#account(known), value);
      const isThere = (await this.#ring.read(this.#account(known))) === value;
      if (isThere) this.#read.set(this.#nameEntry(known), value);
      return isThere;
    } catch {
      return false;
    }
  }

  /** Two data folders have keys of their own. */
  #account({ agent, variable }: Pick<Entry, "agent" | "variable">): string {
    return `${variable} for ${agent} in ${this.#folder}`;
  }

  #entries(): readonly Entry[] {
    let text: string;
    try {
      text = readFileSync(this.#file, "utf8");
      // Its permissions may have been changed, and others must not read it.
      chmodSync(this.#file, 0o600);
    } catch {
      return [];
    }
    try {
      return keyFile.parse(JSON.parse(text)).keys;
    } catch (error) {
      throw new Error(`${this.#file} is not a file of keys. Move it away and set the keys again.`, { cause: error });
    }
  }

  #write(keys: readonly Entry[]): void {
    const unfinished = `${this.#file}.${process.pid}`;
    try {
      writeFileSync(unfinished, `${JSON.stringify({ keys }, null, 2)}\n`, { mode: 0o600, flag: "wx" });
      renameSync(unfinished, this.#file);
    } finally {
      rmSync(unfinished, { force: true });
    }
  }
}

/** Throws where the text cannot be a key. */
export function readKey(text: string): string {
  const key = text.trim();
  // It goes into an HTTP header: a line break in it would be another header.
  if (!/^[\x21-\x7e]+$/.test(key) || key.length > maxLength)
    throw new Error("A key is one word of letters, digits and signs. Copy it again, without blanks and quotes.");
  return key;
}

function isSame(a: Pick<Entry, "agent" | "variable">, b: Pick<Entry, "agent" | "variable">): boolean {
  return a.agent === b.agent && a.variable === b.variable;
}
