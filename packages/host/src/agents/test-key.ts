// Tests a key before it is kept: one small request to the provider that it belongs to, which costs nothing and has a time limit.

import { customUrl, keyVariables, type Provider, providerNames, providers } from "@signalbox/config/providers";
import { isJsonObject, type Json, toFields } from "@signalbox/protocol";
import { networkProblem } from "@signalbox/sandbox/network-problem";

/** The provider's verdict. `unknown` if it was not asked, or if its answer says nothing about the key. */
interface KeyTest {
  readonly result: "accepted" | "refused" | "unknown";
  /** One sentence for a person. */
  readonly text: string;
}

const maxWaitMs = 8000;
const maxAnswerBytes = 64 * 1024;
const maxReasonLength = 200;

/** Never throws. `variable` names the provider; a key for something else is not tested. */
export async function testKey(
  variable: string,
  key: string,
  settings: Readonly<Record<string, { readonly base_url?: string | undefined }>>,
  environment: NodeJS.ProcessEnv,
): Promise<KeyTest> {
  const name = providerNames.find((each) => keyVariables(each).includes(variable));
  const provider: Provider | undefined = name === undefined ? undefined : providers[name];
  if (name === undefined || provider?.keyRequest === undefined)
    return { result: "unknown", text: `Saved. Signalbox cannot test a key for ${variable}.` };
  const { label, defaultUrl, keyRequest: request } = provider;
  const address = customUrl(name, settings[name] ?? {}, environment) ?? defaultUrl;
  if (address === undefined)
    return makeUnknownResult(`the address is not known. Set providers.${name}.base_url in config.json.`);
  try {
    const answer = await fetch(`${address.replace(/\/+$/, "")}${request.path}`, {
      headers: request.headers(key),
      // The key is for this address alone.
      redirect: "manual",
      signal: AbortSignal.timeout(maxWaitMs),
    });
    const reason = await readReason(answer, key);
    if (answer.ok) return { result: "accepted", text: `${label} accepted the key.` };
    if (answer.status === 401 || isInvalidGeminiKey(answer.status, reason))
      return {
        result: "refused",
        text: `${label} refused this key${reason === "" ? "" : ` (${reason})`}, so it was not saved. Copy it again from your account at ${label}.`,
      };
    // Some keys may not list models; some servers have no such list.
    return makeUnknownResult(`${label} answered ${answer.status}${reason === "" ? "" : `, ${reason}`}.`);
  } catch (error) {
    if (error instanceof Error && error.name === "TimeoutError")
      return makeUnknownResult(`${label} did not answer within ${maxWaitMs / 1000} s.`);
    const host = URL.canParse(address) ? new URL(address).host : address;
    return makeUnknownResult(`${host} cannot be reached (${networkProblem(error).replaceAll(key, "…")}).`);
  }
}

function makeUnknownResult(why: string): KeyTest {
  return { result: "unknown", text: `Saved, but not tested: ${why}` };
}

/** Gemini answers 400 to a key that it does not know. */
function isInvalidGeminiKey(status: number, reason: string): boolean {
  return status === 400 && /api key not valid|api_key_invalid/i.test(reason);
}

/** Reads the reason from the provider's JSON as one short line, without the key. */
async function readReason(answer: Response, key: string): Promise<string> {
  const text = await readBeginning(answer);
  let parsed: Json;
  try {
    parsed = JSON.parse(text) as Json;
  } catch {
    return "";
  }
  const error = toFields(parsed).error;
  const message = isJsonObject(error) ? error.message : error;
  if (typeof message !== "string") return "";
  const line = message.replaceAll(key, "…").replaceAll(/\s+/g, " ").trim().replace(/\.$/, "");
  return line.length > maxReasonLength ? `${line.slice(0, maxReasonLength)}…` : line;
}

async function readBeginning(answer: Response): Promise<string> {
  if (answer.body === null) return "";
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of answer.body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length > maxAnswerBytes) break;
  }
  return text;
}
