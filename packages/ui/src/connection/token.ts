// The access token of this page. It comes in the fragment of the address, for a code in it, or by pairing, and is stored for reloads.
import { exchangeCode } from "./exchange-code.ts";

const key = "signalbox.token";

export function readToken(): string | null {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given !== null) {
    localStorage.setItem(key, given);
    // An address that is copied should not contain the token.
    history.replaceState(null, "", location.pathname);
  }
  return localStorage.getItem(key);
}

export function keepToken(token: string): void {
  localStorage.setItem(key, token);
}

/** A code in the address that stands for the token; null where there is none. It is used once, so it leaves the address. */
export function readPageCode(): string | null {
  const code = new URLSearchParams(location.hash.slice(1)).get("open");
  if (code !== null) history.replaceState(null, "", location.pathname);
  return code;
}

/** Throws with the host's reason. */
export async function redeemPageCode(code: string): Promise<void> {
  const { token } = await exchangeCode<{ token: string }>("/open", { code });
  keepToken(token);
}

/** A code to pair this device by, where the address has one, and the fingerprint of the certificate to compare. It is used once, so it leaves the address. */
export function readPairing(): { readonly code: string; readonly fingerprint: string | null } | null {
  const given = new URLSearchParams(location.hash.slice(1));
  const code = given.get("pair");
  if (code === null) return null;
  history.replaceState(null, "", location.pathname);
  return { code, fingerprint: given.get("certificate")?.match(/../g)?.join(":") ?? null };
}
