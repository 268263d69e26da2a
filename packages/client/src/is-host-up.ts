/** Whether the host answers at all. Without an address: the one that this page came from. */
export async function isHostUp(address = ""): Promise<boolean> {
  try {
    return (await fetch(`${address}/health`, { cache: "no-store" })).ok;
  } catch {
    return false;
  }
}
