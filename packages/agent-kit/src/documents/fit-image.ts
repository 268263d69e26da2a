// Makes an image as small as every provider takes it.
import { ToolFailure } from "../tool-failure.ts";
import { runInWorker } from "./run-in-worker.ts";

export interface ImageRequest {
  readonly bytes: Uint8Array;
  readonly maxSide: number;
  readonly maxBytes: number;
}

export interface SmallerImage {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
  readonly width: number;
  readonly height: number;
}

/** An image as models get it. */
export interface ModelImage {
  /** Base64. */
  readonly data: string;
  readonly mimeType: string;
}

/** A larger file is not read. */
export const maxImageBytes = 20_000_000;
/** As base64 this is the 5 MB that Anthropic takes. */
const maxSentBytes = 3_700_000;
/** Anthropic's limit in a request with many images; larger ones are made smaller by the providers themselves. */
const maxSentSide = 2000;
/** In memory, an image of so many pixels takes 400 MB. */
const maxPixels = 100_000_000;

/** The image itself where it fits, else a smaller one, and what was done to it. Throws a `ToolFailure` when it cannot be made to fit. */
export async function fitImage(
  image: ModelImage,
  signal: AbortSignal,
): Promise<{ readonly image: ModelImage; readonly note?: string }> {
  const bytes = Buffer.from(image.data, "base64");
  const { width, height } = await measureImage(bytes);
  const isSmall = bytes.length <= maxSentBytes && Math.max(width, height) <= maxSentSide;
  if (isSmall) return { image };
  if (width * height > maxPixels || bytes.length > maxImageBytes) {
    throw new ToolFailure(
      `The image is too big: ${width} × ${height} pixels, ${bytes.length} bytes. Make it smaller first.`,
    );
  }
  const data: ImageRequest = { bytes, maxSide: maxSentSide, maxBytes: maxSentBytes };
  const task = { worker: "image-worker", data, subject: "This is an image" } as const;
  // The worker is ours and sends nothing else.
  const smaller = (await runInWorker(task, signal)) as SmallerImage | null;
  if (smaller === null) throw new ToolFailure("The image cannot be made small enough.");
  const shown = { data: Buffer.from(smaller.bytes).toString("base64"), mimeType: smaller.mimeType };
  const note = noteOnSize({ width, height }, smaller);
  return { image: shown, ...(note !== undefined && { note }) };
}

type Size = Pick<SmallerImage, "width" | "height">;

/** Undefined where it has all its pixels, and only its file got smaller. */
export function noteOnSize(before: Size, shown: Size): string | undefined {
  if (before.width === shown.width && before.height === shown.height) return undefined;
  return `[The image has ${before.width} × ${before.height} pixels. It is shown with ${shown.width} × ${shown.height}.]`;
}

/** The types that models take. */
const readTypes: ReadonlySet<string> = new Set(["png", "jpg", "gif", "webp"]);

/** By its first bytes. */
async function measureImage(bytes: Buffer): Promise<{ width: number; height: number }> {
  // Loaded when it is needed: most sessions have no image.
  const { disableTypes, imageSize, types } = await import("image-size");
  disableTypes(types.filter((type) => !readTypes.has(type)));
  try {
    const { width, height } = imageSize(bytes);
    return { width, height };
  } catch {
    // Its bytes decide then; a provider that refuses it is told apart later.
    return { width: 0, height: 0 };
  }
}
