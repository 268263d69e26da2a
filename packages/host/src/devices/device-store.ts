// Keeps the paired devices: each has a token of its own (only its hash is stored), a name, when it was last seen, and where its notifications go.
import { createHash, randomBytes, randomUUID } from "node:crypto";
import { readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";
import { writePrivately } from "../data/data-folder.ts";
import { HostError } from "../data/host-error.ts";
import { makePushKey } from "./push-key.ts";

const pushTarget = z.object({ endpoint: z.string(), p256dh: z.string(), auth: z.string() });
const storedDevice = z.object({
  id: z.string(),
  name: z.string(),
  token_hash: z.string().regex(/^[0-9a-f]{64}$/),
  created_at: z.number(),
  last_seen_at: z.number().nullable(),
  push: pushTarget.nullable(),
});
const storedFile = z.object({
  devices: z.array(storedDevice),
  /** Addresses that the user named, under which devices reach this host. */
  addresses: z.array(z.string().refine((address) => URL.canParse(address))),
  /** The private key by which push services know this host, as a JWK. */
  push_key: z.record(z.string(), z.string()),
});

export type PushTarget = z.infer<typeof pushTarget>;
export type Device = Omit<z.infer<typeof storedDevice>, "token_hash">;

const maxDevices = 50;
const maxAddresses = 20;
/** The time of the last visit is stored at most this often. */
const seenEveryMs = 60_000;

export class DeviceStore {
  readonly #file: string;
  readonly #removed = new Set<(deviceId: string) => void>();
  #stored: z.infer<typeof storedFile>;

  /** A file that cannot be read counts as no devices; it is put aside. */
  constructor(dataFolder: string, onProblem: (problem: string) => void = () => {}) {
    this.#file = join(dataFolder, "devices.json");
    this.#stored = this.#read(onProblem) ?? { devices: [], addresses: [], push_key: makePushKey() };
  }

  list(): readonly Device[] {
    return this.#stored.devices.map(({ token_hash: _hidden, ...device }) => device);
  }

  /** Adds a device and gives its token, which is known only here and now. */
  add(name: string): { readonly device: Device; readonly token: string } {
    if (this.#stored.devices.length >= maxDevices)
      throw new HostError("conflict", `There are ${maxDevices} devices already. Remove one first.`);
    const token = randomBytes(24).toString("base64url");
    const device = { id: randomUUID(), name, created_at: Date.now(), last_seen_at: null, push: null };
    this.#write({ devices: [...this.#stored.devices, { ...device, token_hash: hashToken(token) }] });
    return { device, token };
  }

  /** Its token is worth nothing any more when this returns, and its connections have ended. */
  remove(deviceId: string): void {
    this.#get(deviceId);
    this.#write({ devices: this.#stored.devices.filter(({ id }) => id !== deviceId) });
    for (const listener of this.#removed) listener(deviceId);
  }

  onRemoved(listener: (deviceId: string) => void): void {
    this.#removed.add(listener);
  }

  /** The id of the device with this token. */
  find(token: string): string | null {
    const wanted = hashToken(token);
    const found = this.#stored.devices.find(({ token_hash }) => token_hash === wanted);
    if (found === undefined) return null;
    if (Date.now() - (found.last_seen_at ?? 0) >= seenEveryMs) this.#storeVisit(found.id);
    return found.id;
  }

  #storeVisit(deviceId: string): void {
    try {
      this.#change(deviceId, { last_seen_at: Date.now() });
    } catch {
      // A disk that is full locks no device out; the next visit tries again.
    }
  }

  setPush(deviceId: string, push: PushTarget | null): void {
    this.#get(deviceId);
    this.#change(deviceId, { push });
  }

  get pushKey(): Readonly<Record<string, string>> {
    return this.#stored.push_key;
  }

  get addresses(): readonly string[] {
    return this.#stored.addresses;
  }

  /** The latest one first. */
  addAddress(address: string): void {
    const others = this.#stored.addresses.filter((known) => known !== address);
    this.#write({ addresses: [address, ...others].slice(0, maxAddresses) });
  }

  #get(deviceId: string): void {
    if (!this.#stored.devices.some(({ id }) => id === deviceId))
      throw new HostError("not_found", "There is no such device.");
  }

  #change(deviceId: string, changes: Partial<Device>): void {
    this.#write({
      devices: this.#stored.devices.map((each) => (each.id === deviceId ? { ...each, ...changes } : each)),
    });
  }

  #write(changes: Partial<z.infer<typeof storedFile>>): void {
    const next = { ...this.#stored, ...changes };
    writePrivately(this.#file, JSON.stringify(next, null, 2));
    this.#stored = next;
  }

  #read(onProblem: (problem: string) => void): z.infer<typeof storedFile> | null {
    let text: string;
    try {
      text = readFileSync(this.#file, "utf8");
    } catch {
      return null;
    }
    try {
      return storedFile.parse(JSON.parse(text));
    } catch {
      renameSync(this.#file, `${this.#file}.damaged`);
      onProblem(`${this.#file} was damaged and is put aside as devices.json.damaged: pair your devices again.`);
      return null;
    }
  }
}

/** A token has 192 random bits: nothing is gained by a slower hash. */
function hashToken(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
