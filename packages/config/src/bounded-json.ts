// Gets JSON from an address, with a limit for its size and its time.
import { networkProblem } from "@signalbox/sandbox/network-problem";

const timeoutMs = 20_000;

/** Throws an Error with a reason that completes a sentence. */
export async function boundedJson(url: string, maxBytes: number): Promise<unknown> {
  const answer = await fetch(url, { signal: AbortSignal.timeout(timeoutMs) }).catch((error: unknown) => {
    throw new Error(networkProblem(error), { cause: error });
  });
  if (!answer.ok) throw new Error(`it answered ${answer.status} ${answer.statusText}`);
  return JSON.parse(await boundedText(answer, maxBytes));
}

/** A server may send without end. */
async function boundedText({ body }: Response, maxBytes: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of body ?? []) {
    parts.push(part);
    length += part.length;
    if (length > maxBytes) throw new Error(`it is larger than ${maxBytes / 1_000_000} MB`);
  }
  return Buffer.concat(parts).toString("utf8");
}
