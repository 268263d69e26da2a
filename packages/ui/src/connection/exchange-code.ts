// Exchanges a code that works once for a token: the owner's, for the browser that Signalbox opened, or one of its own for a paired device.
interface PairedDevice {
  readonly device_id: string;
  readonly token: string;
}

/** Throws with the host's reason. */
export async function exchangeCode<Answer extends { readonly token: string }>(
  path: string,
  body: { readonly code: string; readonly name?: string },
): Promise<Answer> {
  const answer = await fetch(path, {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(body),
  }).catch(() => {
    throw new Error("Signalbox is not reachable.");
  });
  const said = (await answer.json().catch(() => ({}))) as Partial<Answer> & { error?: string };
  if (!answer.ok || said.token === undefined)
    throw new Error(said.error ?? `Signalbox answered with ${answer.status}.`);
  // The host answers 200 only with all fields.
  return said as Answer;
}

/** Pairs this browser and gives it a token of its own. Throws with the host's reason. */
export async function pair(code: string, name: string): Promise<PairedDevice> {
  return await exchangeCode<PairedDevice>("/pair", { code, name });
}
