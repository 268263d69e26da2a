// Makes a certificate for this machine, signed by its own key, where the user has none. Node can read certificates but not make them, so its few fields are
// written here as DER.
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  randomBytes,
  sign,
  X509Certificate,
} from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { isIP } from "node:net";
import { join } from "node:path";
import { writePrivately } from "./data-folder.ts";

const dayMs = 86_400_000;
/** Apple's devices refuse certificates that are valid for longer than 825 days. */
const lifeDays = 800;
const renewDays = 30;

/** The files of the certificate. It is made again when it is about to expire, or when this machine has names that it does not have. */
export function openCertificateFiles(dataFolder: string, names: readonly string[]): { cert: string; key: string } {
  const folder = join(dataFolder, "tls");
  const files = { cert: join(folder, "cert.pem"), key: join(folder, "key.pem") };
  if (isUsable(files.cert, files.key, names)) return files;
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const key = existsSync(files.key) ? readFileSync(files.key, "utf8") : makeKey();
  writePrivately(files.key, key);
  writePrivately(files.cert, makeCertificate(key, names));
  return files;
}

function isUsable(certFile: string, keyFile: string, names: readonly string[]): boolean {
  try {
    const certificate = new X509Certificate(readFileSync(certFile));
    const isForKey = certificate.checkPrivateKey(createPrivateKey(readFileSync(keyFile)));
    const isFresh = Date.parse(certificate.validTo) - Date.now() > renewDays * dayMs;
    const has = (name: string) =>
      (isIP(name) === 0 ? certificate.checkHost(name) : certificate.checkIP(name)) !== undefined;
    return isForKey && isFresh && names.every(has);
  } catch {
    return false;
  }
}

function makeKey(): string {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  return privateKey.export({ type: "pkcs8", format: "pem" }).toString();
}

/** A certificate (PEM) for these names and addresses. It can sign no others. */
export function makeCertificate(key: string, names: readonly string[], now = Date.now()): string {
  const algorithm = encodeSequence(encodeObjectId("2a8648ce3d040302"));
  const subject = encodeSequence(
    encodeTagged(0x31, encodeSequence(encodeObjectId("550403"), encodeTagged(0x0c, Buffer.from("Signalbox")))),
  );
  const serial = randomBytes(16);
  // Positive, and not shorter than it looks.
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40;
  const body = encodeSequence(
    encodeTagged(0xa0, encodeInteger(Buffer.of(2))),
    encodeInteger(serial),
    algorithm,
    subject,
    encodeSequence(encodeTime(now - dayMs), encodeTime(now + lifeDays * dayMs)),
    subject,
    createPublicKey(key).export({ type: "spki", format: "der" }),
    encodeTagged(
      0xa3,
      encodeSequence(
        encodeExtension("551d11", encodeSequence(...names.map(encodeName)), false),
        // No CA: a browser that trusts this certificate trusts it for these names only.
        encodeExtension("551d13", encodeSequence(), true),
        // For servers.
        encodeExtension("551d25", encodeSequence(encodeObjectId("2b06010505070301")), false),
      ),
    ),
  );
  const signature = encodeTagged(0x03, Buffer.concat([Buffer.of(0), sign("sha256", body, key)]));
  const lines =
    encodeSequence(body, algorithm, signature)
      .toString("base64")
      .match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

function encodeName(name: string): Buffer {
  return isIP(name) === 0 ? encodeTagged(0x82, Buffer.from(name)) : encodeTagged(0x87, encodeAddress(name));
}

function encodeAddress(address: string): Buffer {
  if (isIP(address) === 4) return Buffer.from(address.split(".").map(Number));
  const [head = "", tail] = address.replace(/%.*$/, "").split("::");
  const [before = [], after = []] = [head, tail ?? ""].map((part) => part.split(":").filter((group) => group !== ""));
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - before.length - after.length }, () => "0");
  return Buffer.from([...before, ...zeros, ...after].map((group) => group.padStart(4, "0")).join(""), "hex");
}

function encodeExtension(id: string, value: Buffer, isCritical: boolean): Buffer {
  const critical = isCritical ? [encodeTagged(0x01, Buffer.of(0xff))] : [];
  return encodeSequence(encodeObjectId(id), ...critical, encodeTagged(0x04, value));
}

function encodeTime(ms: number): Buffer {
  return encodeTagged(0x18, Buffer.from(new Date(ms).toISOString().replaceAll(/[-:T]|\.\d+/g, "")));
}

function encodeSequence(...parts: readonly Buffer[]): Buffer {
  return encodeTagged(0x30, Buffer.concat(parts));
}

function encodeInteger(value: Buffer): Buffer {
  return encodeTagged(0x02, value);
}

function encodeObjectId(hex: string): Buffer {
  return encodeTagged(0x06, Buffer.from(hex, "hex"));
}

/** Tag, length, value. */
function encodeTagged(tag: number, value: Buffer): Buffer {
  const { length } = value;
  if (length < 0x80) return Buffer.concat([Buffer.of(tag, length), value]);
  const bytes = length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...bytes), value]);
}
