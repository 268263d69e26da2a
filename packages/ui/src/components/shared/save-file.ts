import type { HostConnection } from "@signalbox/react";
// Saves a file of the host on the person's machine. The request needs the token, so it cannot be a plain link.

export async function saveFile(connection: HostConnection, path: string, name: string): Promise<void> {
  const address = URL.createObjectURL(await connection.download(path));
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // By then the browser has started to save it.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
