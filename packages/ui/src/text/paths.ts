// Shortens paths: relative inside the thread's folder, ~ for the home folder.

export function shortPath(path: string, folder: string): string {
  const prefix = folder.endsWith("/") ? folder : `${folder}/`;
  return path.startsWith(prefix) ? path.slice(prefix.length) : path;
}

export function lastName(path: string): string {
  return path.split("/").findLast((part) => part !== "") ?? path;
}

/** The inverse of `fromHome`: ~ becomes the home folder. */
export function toAbsolute(path: string, home: string | null): string {
  return home === null ? path : path.replace(/^~(?=\/|$)/, () => home);
}

export function fromHome(path: string, home: string | null): string {
  if (home === null || home === "/") return path;
  return path === home ? "~" : path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
