// The token that lets this page talk to its host. It comes once, in the fragment of the address, and is kept for reloads.
const key = "signalbox.token";

export function takeToken(): string | null {
  const given = new URLSearchParams(location.hash.slice(1)).get("token");
  if (given !== null) {
    localStorage.setItem(key, given);
    // An address that is copied or photographed should not carry the key.
    history.replaceState(null, "", location.pathname);
  }
  return localStorage.getItem(key);
}
