// Paths as a person says them: inside the thread's folder without it, elsewhere whole.

export function shortPath(path: string, folder: string): string {
  const prefix = folder.endsWith("/") ? folder : `${folder}/`;
  return path.startsWith(prefix) ? path.slice(prefix.length) : path;
}

export function lastName(path: string): string {
  return path.split("/").findLast((part) => part !== "") ?? path;
}

export function fromHome(path: string, home: string | null): string {
  if (home === null || home === "/") return path;
  return path === home ? "~" : path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}
