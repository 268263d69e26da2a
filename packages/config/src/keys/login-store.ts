// Keeps the log-ins of MCP servers: in the system's key ring where there is one, else in a file for each that only the user can read. They
// never go into an environment.
import { createHash } from "node:crypto";
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { z } from "zod";
import { findKeyRing, type KeyRing } from "./key-ring.ts";

const loginFile = z.object({
  id: z.string(),
  saved_at: z.number(),
  /** Only where no key ring has it. */
  value: z.string().optional(),
});

export class LoginStore {
  readonly #folder: string;
  readonly #ring: KeyRing | undefined;
  /** What the key ring had, with the time of saving: asking it starts a program. */
  readonly #known = new Map<string, { readonly savedAt: number; readonly value: string }>();

  constructor(dataFolder: string, ring: KeyRing | undefined = findKeyRing()) {
    this.#folder = resolve(dataFolder, "mcp-logins");
    this.#ring = ring;
  }

  has(id: string): boolean {
    return this.#entry(id) !== undefined;
  }

  /** Read every time: another session may have renewed it. Undefined where there is none. */
  async read(id: string): Promise<string | undefined> {
    const entry = this.#entry(id);
    if (entry === undefined || entry.value !== undefined) return entry?.value;
    const known = this.#known.get(id);
    if (known?.savedAt === entry.saved_at) return known.value;
    // A key ring that does not answer has no log-in for us: the person is asked to log in again.
    const value = await this.#ring?.read(this.#account(id)).catch(() => undefined);
    if (value !== undefined) this.#known.set(id, { savedAt: entry.saved_at, value });
    return value;
  }

  /** Throws where it cannot be kept. */
  async write(id: string, value: string): Promise<void> {
    const savedAt = Date.now();
    const isInRing = await this.#toRing(id, value);
    if (isInRing) this.#known.set(id, { savedAt, value });
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    const file = this.#file(id);
    const unfinished = `${file}.${process.pid}`;
    try {
      const entry = { id, saved_at: savedAt, ...(isInRing ? {} : { value }) };
      writeFileSync(unfinished, `${JSON.stringify(entry)}\n`, { mode: 0o600, flag: "wx" });
      renameSync(unfinished, file);
    } finally {
      rmSync(unfinished, { force: true });
    }
  }

  async remove(id: string): Promise<void> {
    const entry = this.#entry(id);
    rmSync(this.#file(id), { force: true });
    this.#known.delete(id);
    if (entry !== undefined && entry.value === undefined) await this.#ring?.remove(this.#account(id)).catch(() => {});
  }

  /** False where there is no key ring, or it does not work: a machine without a desktop often has one that is locked. */
  async #toRing(id: string, value: string): Promise<boolean> {
    if (this.#ring === undefined) return false;
    try {
      await this.#ring.write(this.#account(id), value);
      return (await this.#ring.read(this.#account(id))) === value;
    } catch {
      return false;
    }
  }

  /** What is not such a file is no log-in. */
  #entry(id: string): z.infer<typeof loginFile> | undefined {
    try {
      const file = this.#file(id);
      const text = readFileSync(file, "utf8");
      // Its permissions may have been changed, and others must not read it.
      chmodSync(file, 0o600);
      const entry = loginFile.parse(JSON.parse(text));
      return entry.id === id ? entry : undefined;
    } catch {
      return undefined;
    }
  }

  #file(id: string): string {
    return join(this.#folder, `${createHash("sha256").update(id).digest("hex").slice(0, 32)}.json`);
  }

  /** Two data folders have log-ins of their own. */
  #account(id: string): string {
    return `MCP log-in for ${id} in ${this.#folder}`;
  }
}
