// A stream of JSON, one value a line. A line that is no JSON is an error: something is lost.
import { ProviderError } from "../provider-error.ts";

export async function* jsonLines(body: ReadableStream<Uint8Array>): AsyncIterable<unknown> {
  const decoder = new TextDecoder();
  let rest = "";
  for await (const bytes of body) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split("\n");
    rest = lines.pop() ?? "";
    for (const line of lines) if (line.trim() !== "") yield parse(line);
  }
  if (rest.trim() !== "") yield parse(rest);
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw new ProviderError(
      "broken_stream",
      `The answer of ollama broke off: a line is not JSON (${line.slice(0, 80)})`,
    );
  }
}
