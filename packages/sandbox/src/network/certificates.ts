// Makes the certificates with which the proxy of a network by name opens TLS for the hosts that it adds a credential to: an authority for one session,
// which can speak for these hosts and for no others, and a certificate for each of them. The private keys stay in this process.
import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";
import { createSecureContext, type SecureContext } from "node:tls";

const day = 24 * 60 * 60 * 1000;
/** Longer than any session. A clock that is a day late still accepts it. */
const validFor = { before: day, after: 180 * day };

// --- DER: a tag, a length, the content ----------------------------------------------------------------------------

function der(tag: number, ...content: readonly Uint8Array[]): Buffer {
  const body = Buffer.concat(content);
  const { length } = body;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), body]);
}

const sequence = (...content: readonly Uint8Array[]) => der(0x30, ...content);
const hex = (digits: string) => Buffer.from(digits, "hex");
const identifier = (digits: string) => der(0x06, hex(digits));
const octets = (content: Uint8Array) => der(0x04, content);
const bits = (content: Uint8Array) => der(0x03, Buffer.from([0]), content);
const isTrue = der(0x01, hex("ff"));
/** A field with a number instead of a type of its own: a value, or a structure. */
const field = (number: number, content: Uint8Array) => der(0x80 + number, content);
const structure = (number: number, content: Uint8Array) => der(0xa0 + number, content);

function time(at: number): Buffer {
  return der(0x18, Buffer.from(`${new Date(at).toISOString().replaceAll(/[-:T]/g, "").slice(0, 14)}Z`));
}

const ecdsaWithSha256 = sequence(identifier("2a8648ce3d040302"));
const commonName = (name: string) => sequence(der(0x31, sequence(identifier("550403"), der(0x0c, Buffer.from(name)))));

function extension(id: string, value: Uint8Array, isCritical = false): Buffer {
  return sequence(identifier(id), ...(isCritical ? [isTrue] : []), octets(value));
}

// --- certificates -------------------------------------------------------------------------------------------------

const keyUsage = { signsCertificates: hex("03020204"), signsHandshakes: hex("03020780") };
const dnsName = (host: string) => field(2, Buffer.from(host));

interface Key {
  readonly privateKey: KeyObject;
  readonly info: Buffer;
  readonly id: Buffer;
}

function newKey(): Key {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const info = publicKey.export({ type: "spki", format: "der" });
  const pointBytes = 65;
  return { privateKey, info, id: createHash("sha1").update(info.subarray(-pointBytes)).digest() };
}

interface Contents {
  readonly subject: string;
  readonly issuer: string;
  readonly key: Key;
  readonly signer: Key;
  readonly extensions: readonly Buffer[];
}

function certificate({ subject, issuer, key, signer, extensions }: Contents): string {
  const now = Date.now();
  const serial = Buffer.concat([hex("01"), randomBytes(15)]);
  const all = [extension("551d0e", octets(key.id)), extension("551d23", sequence(field(0, signer.id))), ...extensions];
  const content = sequence(
    structure(0, der(0x02, hex("02"))), // version 3
    der(0x02, serial),
    ecdsaWithSha256,
    commonName(issuer),
    sequence(time(now - validFor.before), time(now + validFor.after)),
    commonName(subject),
    key.info,
    structure(3, sequence(...all)),
  );
  const signed = sequence(content, ecdsaWithSha256, bits(sign("sha256", content, signer.privateKey)));
  const lines = signed.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

export class SessionAuthority {
  /** For the programs that are to trust it. */
  readonly certificate: string;
  readonly #key = newKey();
  readonly #name = `Signalbox session ${randomBytes(4).toString("hex")}`;
  readonly #hosts: ReadonlySet<string>;
  readonly #contexts = new Map<string, SecureContext>();

  /** It can speak for these hosts only: programs refuse what it signs for others. */
  constructor(hosts: readonly string[]) {
    this.#hosts = new Set(hosts);
    const permitted = structure(0, Buffer.concat([...this.#hosts].map((host) => sequence(dnsName(host)))));
    this.certificate = certificate({
      subject: this.#name,
      issuer: this.#name,
      key: this.#key,
      signer: this.#key,
      extensions: [
        extension("551d13", sequence(isTrue), true),
        extension("551d0f", keyUsage.signsCertificates, true),
        extension("551d1e", sequence(permitted), true),
      ],
    });
  }

  /** Returns the TLS context of a server for this host. Throws for any other host. */
  getContext(host: string): SecureContext {
    if (!this.#hosts.has(host)) throw new Error(`the session's authority does not speak for ${host}`);
    const known = this.#contexts.get(host) ?? this.#newContext(host);
    this.#contexts.set(host, known);
    return known;
  }

  #newContext(host: string): SecureContext {
    const key = newKey();
    const cert = certificate({
      subject: host.slice(0, 64), // the most that the field takes; programs read the name below
      issuer: this.#name,
      key,
      signer: this.#key,
      extensions: [
        extension("551d13", sequence(), true),
        extension("551d0f", keyUsage.signsHandshakes, true),
        extension("551d25", sequence(identifier("2b06010505070301"))),
        extension("551d11", sequence(dnsName(host))),
      ],
    });
    return createSecureContext({
      cert: cert + this.certificate,
      key: key.privateKey.export({ type: "pkcs8", format: "pem" }),
    });
  }
}
