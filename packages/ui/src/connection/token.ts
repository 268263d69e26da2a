// The access token of this page. It comes in the fragment of the address and is stored for reloads.
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
