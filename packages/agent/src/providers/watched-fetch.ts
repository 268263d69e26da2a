// fetch that notices when an answer stops coming: any byte counts as a sign of life, also a provider's keep-alive.
import { ProviderError } from "./provider-error.ts";

export type Fetch = typeof globalThis.fetch;

export function watchedFetch(provider: string, stallMs: number): Fetch {
  return async (input, init) => {
    const watch = new AbortController();
    const timer = setTimeout(() => {
      const words = `${provider} sent nothing for ${Math.round(stallMs / 1000)} seconds.`;
      watch.abort(new ProviderError("stalled", words));
    }, stallMs);
    const signal = init?.signal ? AbortSignal.any([init.signal, watch.signal]) : watch.signal;
    try {
      const response = await fetch(input, { ...init, signal });
      timer.refresh();
      if (response.body === null) {
        clearTimeout(timer);
        return response;
      }
      return new Response(watched(response.body, timer), response);
    } catch (error) {
      clearTimeout(timer);
      throw error;
    }
  };
}

function watched(body: ReadableStream<Uint8Array>, timer: NodeJS.Timeout): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        timer.refresh();
        if (done) {
          clearTimeout(timer);
          controller.close();
        } else controller.enqueue(value);
      } catch (error) {
        clearTimeout(timer);
        controller.error(error);
      }
    },
    async cancel(reason) {
      clearTimeout(timer);
      await reader.cancel(reason);
    },
  });
}
