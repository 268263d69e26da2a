// The key pair by which push services know this host (VAPID, RFC 8292), and the signed header that each message carries.
import { createPrivateKey, generateKeyPairSync, sign } from "node:crypto";

/** A new private key, as a JWK. */
export function makePushKey(): Record<string, string> {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const { kty = "", crv = "", x = "", y = "", d = "" } = privateKey.export({ format: "jwk" });
  return { kty, crv, x, y, d };
}

/** The public key as browsers want it: an uncompressed point, in base64url. */
export function encodePublicPushKey({ x = "", y = "" }: Readonly<Record<string, string>>): string {
  return Buffer.concat([Buffer.of(4), Buffer.from(x, "base64url"), Buffer.from(y, "base64url")]).toString("base64url");
}

/** Push services take at most a day. */
const tokenLifeS = 12 * 3600;

export function makeVapidHeader(key: Readonly<Record<string, string>>, endpoint: URL, now = Date.now()): string {
  const claims = {
    aud: endpoint.origin,
    exp: Math.floor(now / 1000) + tokenLifeS,
    // Asked for by some services: whom to tell about problems. There is no one but the user.
    sub: "mailto:signalbox@localhost.invalid",
  };
  const signed = `${encodePart({ typ: "JWT", alg: "ES256" })}.${encodePart(claims)}`;
  const privateKey = createPrivateKey({ key, format: "jwk" });
  const signature = sign("sha256", Buffer.from(signed), { key: privateKey, dsaEncoding: "ieee-p1363" });
  return `vapid t=${signed}.${signature.toString("base64url")}, k=${encodePublicPushKey(key)}`;
}

function encodePart(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString("base64url");
}
