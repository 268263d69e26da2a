// Pairs this browser with a host by a code: gives it a token of its own.
interface PairedDevice {
  readonly device_id: string;
  readonly token: string;
}

/** Throws with the host's reason. */
export async function pair(code: string, name: string): Promise<PairedDevice> {
  const answer = await fetch("/pair", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ code, name }),
  }).catch(() => {
    throw new Error("Signalbox is not reachable.");
  });
  const said = (await answer.json().catch(() => ({}))) as Partial<PairedDevice> & { error?: string };
  if (!answer.ok || said.token === undefined || said.device_id === undefined)
    throw new Error(said.error ?? `Signalbox answered with ${answer.status}.`);
  return { device_id: said.device_id, token: said.token };
}
