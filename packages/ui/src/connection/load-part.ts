import { isHostUp } from "@signalbox/react";

// Loads a part of the page when it is first needed. If the host is not reachable, it waits and tries again.

const minRetryMs = 250;
const maxRetryMs = 5000;
/** A host that is up but does not have the part is another version. The first failure may be from before it was up. */
const maxTriesWhileUp = 2;

export async function loadPart<Part>(load: () => Promise<Part>): Promise<Part> {
  let failuresWhileUp = 0;
  for (let retryMs = minRetryMs; ; retryMs = Math.min(retryMs * 2, maxRetryMs)) {
    try {
      return await load();
    } catch (error) {
      if (await isHostUp()) failuresWhileUp++;
      if (failuresWhileUp === maxTriesWhileUp) {
        throw new Error("A part of the page is missing. Signalbox was probably updated: reload the page.", {
          cause: error,
        });
      }
      await new Promise((resolve) => setTimeout(resolve, retryMs));
    }
  }
}
