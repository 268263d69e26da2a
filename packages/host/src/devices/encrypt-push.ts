// Encrypts a message so that only the browser that subscribed can read it, not the push service between (RFC 8291, aes128gcm of RFC 8188).
import { createCipheriv, createECDH, hkdfSync, randomBytes } from "node:crypto";
import { HostError } from "../data/host-error.ts";
import type { PushTarget } from "./device-store.ts";

const keyBytes = 65;
const saltBytes = 16;
const recordBytes = 4096;
/** The longest text that fits into one record with its delimiter, its tag and the head. */
export const maxPushBytes = 3900;

/** Throws a HostError where the browser's keys are no keys. */
export function encryptPush(text: string, { p256dh, auth }: Pick<PushTarget, "p256dh" | "auth">): Buffer {
  const plain = Buffer.from(text);
  if (plain.length > maxPushBytes) throw new Error(`A push message has at most ${maxPushBytes} bytes.`);
  const theirKey = Buffer.from(p256dh, "base64url");
  const secret = Buffer.from(auth, "base64url");
  const ecdh = createECDH("prime256v1");
  const serverKey = ecdh.generateKeys();
  const salt = randomBytes(saltBytes);
  const keyInfo = Buffer.concat([Buffer.from("WebPush: info\0"), theirKey, serverKey]);
  const inputKey = deriveKey(computeSharedSecret(ecdh, theirKey), secret, keyInfo, 32);
  const cipher = createCipheriv(
    "aes-128-gcm",
    deriveKey(inputKey, salt, makeContentInfo("aes128gcm"), 16),
    deriveKey(inputKey, salt, makeContentInfo("nonce"), 12),
  );
  const size = Buffer.alloc(4);
  size.writeUInt32BE(recordBytes);
  // 2 marks the last record, which is the only one.
  const sealed = Buffer.concat([cipher.update(Buffer.concat([plain, Buffer.of(2)])), cipher.final()]);
  return Buffer.concat([salt, size, Buffer.of(keyBytes), serverKey, sealed, cipher.getAuthTag()]);
}

function computeSharedSecret(ecdh: ReturnType<typeof createECDH>, theirKey: Buffer): Buffer {
  try {
    return ecdh.computeSecret(theirKey);
  } catch (error) {
    throw new HostError("bad_request", "The browser's key for notifications is no key.", { cause: error });
  }
}

function makeContentInfo(name: string): Buffer {
  return Buffer.from(`Content-Encoding: ${name}\0`);
}

function deriveKey(key: Buffer, salt: Buffer, info: Buffer, length: number): Buffer {
  return Buffer.from(hkdfSync("sha256", key, salt, info, length));
}
