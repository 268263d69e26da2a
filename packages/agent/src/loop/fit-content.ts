// Makes content such that the model can take it: images small enough for every provider, a PDF as its text or its pages. Words stand in place
// of what cannot be sent.
import { fitImage, type ModelPdf, maxReadCharacters, type PageRange, pdfPictures, readPdf } from "@signalbox/agent-kit";
import { messageOf } from "@signalbox/tool-calls";
import type { Model } from "../providers/model.ts";
import { unseenPdf } from "../providers/unseen-parts.ts";
import { pageContent } from "../tools/page-content.ts";
import type { ModelContent } from "../tools/tool.ts";
import type { Workspace } from "../tools/workspace.ts";
import { shortenContent } from "./shorten-content.ts";
import { chooseWindow } from "./usage.ts";

interface FitContext {
  readonly model: Pick<Model, "name" | "facts" | "readsPdfs" | "contextWindow">;
  readonly workspace: Pick<Workspace, "keepOutput">;
  readonly signal: AbortSignal;
}

/** Bedrock takes no larger document. It goes with every later request, so more would be slow everywhere. */
const maxSentBytes = 4_500_000;

export async function fitContent(
  content: readonly ModelContent[],
  context: FitContext,
): Promise<readonly ModelContent[]> {
  if (content.every(({ type }) => type === "text")) return content;
  const fitted = await Promise.all(content.map((part) => fitPart(part, context)));
  return fitted.flat();
}

async function fitPart(part: ModelContent, context: FitContext): Promise<readonly ModelContent[]> {
  const { signal } = context;
  try {
    switch (part.type) {
      case "text":
        return [part];
      case "image": {
        const { image, note } = await fitImage(part, signal);
        return [{ type: "image", ...image }, ...(note === undefined ? [] : [text(note)])];
      }
      case "pdf":
        return await fitPdf(part, context);
    }
  } catch (error) {
    signal.throwIfAborted();
    return [text(`[${part.type === "pdf" ? "A PDF" : "An image"} was left out. ${messageOf(error)}]`)];
  }
}

async function fitPdf(part: ModelPdf, context: FitContext): Promise<readonly ModelContent[]> {
  if (part.pages !== undefined) return await fitPages(part, part.pages, context);
  const read = await readPdf(part.name, Buffer.from(part.data, "base64"), undefined, context.signal);
  if (read.type === "pages") {
    return await fitContent(
      pageContent(read, () => "The others were left out."),
      context,
    );
  }
  const whole = [text(`<resource uri="${part.name}">\n${read.text}\n</resource>`)];
  // As many characters as the window has tokens are a quarter of it.
  const limits = { outputLimit: Math.min(4 * maxReadCharacters, chooseWindow(context.model)), keepsBothEnds: true };
  return await shortenContent(whole, limits, (kept) => context.workspace.keepOutput(kept));
}

async function fitPages(
  part: ModelPdf,
  range: PageRange,
  { model, signal }: FitContext,
): Promise<readonly ModelContent[]> {
  const bytes = Buffer.from(part.data, "base64");
  if (model.readsPdfs === true && bytes.length <= maxSentBytes) return [{ type: "pdf", ...part }];
  if (model.facts.seesImages === false) return [text(unseenPdf(part.name, model.name))];
  return await pdfPictures({ name: part.name, bytes, range }, signal);
}

function text(words: string): ModelContent & { type: "text" } {
  return { type: "text", text: words };
}
