// Bounds what a server at a URL can send: a message without end would fill our memory.
import type { FetchLike } from "@modelcontextprotocol/client";

/** As much as a line of a server that is a program. */
const maxMessageBytes = 32_000_000;

export function boundedFetch(fetchIt: FetchLike, maxBytes: number = maxMessageBytes): FetchLike {
  return async (url, init) => {
    const response = await fetchIt(url, init);
    if (response.body === null) return response;
    const isEvents = response.headers.get("content-type")?.includes("text/event-stream") === true;
    const { status, statusText, headers } = response;
    const body = response.body.pipeThrough(limit(isEvents, maxBytes));
    return new Response(body, { status, statusText, headers });
  };
}

/** Of a stream of events each event is counted, of everything else all of it. */
function limit(isEvents: boolean, maxBytes: number): TransformStream<Uint8Array, Uint8Array> {
  let size = 0;
  return new TransformStream({
    transform(chunk, controller) {
      const end = isEvents ? lastEventEnd(chunk) : -1;
      size = end === -1 ? size + chunk.length : chunk.length - end;
      if (size > maxBytes) controller.error(new Error(`it sent a message of more than ${maxBytes / 1_000_000} MB`));
      else controller.enqueue(chunk);
    },
  });
}

/** An empty line ends an event. */
function lastEventEnd(chunk: Uint8Array): number {
  const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  return Math.max(bytes.lastIndexOf("\n\n"), bytes.lastIndexOf("\r\n\r\n"));
}
