// Makes the images of a message small enough for every provider. Words stand in place of one that cannot be sent.
import { fitImage } from "@signalbox/agent-kit";
import { errorText } from "@signalbox/tool-calls";
import type { ModelContent } from "../tools/tool.ts";

export async function fitImages(
  content: readonly ModelContent[],
  signal: AbortSignal,
): Promise<readonly ModelContent[]> {
  if (content.every(({ type }) => type === "text")) return content;
  const fitted = await Promise.all(
    content.map(async (part): Promise<readonly ModelContent[]> => {
      if (part.type === "text") return [part];
      try {
        const { image, note } = await fitImage(part, signal);
        return [{ type: "image", ...image }, ...(note === undefined ? [] : [{ type: "text" as const, text: note }])];
      } catch (error) {
        signal.throwIfAborted();
        return [{ type: "text", text: `[An image was left out. ${errorText(error)}]` }];
      }
    }),
  );
  return fitted.flat();
}
