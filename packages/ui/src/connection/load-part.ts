// Parts of the page that load when first needed. The host that serves them may be away at that moment: then the part waits for it, instead
// of taking the page down.
import { hostAnswers } from "./host-answers.ts";

const firstPause = 250;
const longestPause = 5000;
/** A host that answers but has no such part is another version than this page. The first failure may be from before it came back. */
const triesWhileUp = 2;

export async function loadPart<Part>(load: () => Promise<Part>): Promise<Part> {
  let failuresWhileUp = 0;
  for (let pause = firstPause; ; pause = Math.min(pause * 2, longestPause)) {
    try {
      return await load();
    } catch (error) {
      if (await hostAnswers()) failuresWhileUp++;
      if (failuresWhileUp === triesWhileUp) {
        throw new Error("A part of this page is missing. Signalbox was probably updated: reload the page.", {
          cause: error,
        });
      }
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
}
