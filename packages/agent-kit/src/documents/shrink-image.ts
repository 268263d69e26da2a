// Writes an image as small as it may be: with fewer pixels where it has too many, as PNG where that is small enough, else as JPEG.
import { type PhotonImage, resize, SamplingFilter } from "@silvia-odwyer/photon-node";
import type { SmallerImage } from "./fit-image.ts";

interface ImageLimits {
  readonly maxSide: number;
  readonly maxBytes: number;
  /** Text in a screenshot stays sharp as PNG; a photo is far smaller as JPEG, and PNG takes long to write. */
  readonly isPhoto?: boolean;
}

/** Each try after the first has three quarters of the width before it. */
const step = 0.75;
const minSide = 64;
const jpegQuality = 80;

/** Null where even the smallest is too big. */
export function shrinkImage(
  image: PhotonImage,
  { maxSide, maxBytes, isPhoto = false }: ImageLimits,
): SmallerImage | null {
  const [width, height] = [image.get_width(), image.get_height()];
  const longest = Math.max(width, height);
  for (let side = Math.min(longest, maxSide); side >= Math.min(minSide, longest); side *= step) {
    const part = side / longest;
    const sides = [width, height].map((length) => Math.max(1, Math.round(length * part)));
    const [newWidth = 1, newHeight = 1] = sides;
    const smaller = part === 1 ? image : resize(image, newWidth, newHeight, SamplingFilter.Triangle);
    const size = { width: newWidth, height: newHeight };
    const png = isPhoto ? null : smaller.get_bytes();
    if (png !== null && png.length <= maxBytes) return { bytes: png, mimeType: "image/png", ...size };
    const jpeg = smaller.get_bytes_jpeg(jpegQuality);
    if (jpeg.length <= maxBytes) return { bytes: jpeg, mimeType: "image/jpeg", ...size };
  }
  return null;
}
