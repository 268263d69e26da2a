// Makes an image smaller in a thread of its own. fit-image.ts starts it.
import { parentPort, workerData } from "node:worker_threads";
import { PhotonImage, resize, SamplingFilter } from "@silvia-odwyer/photon-node";
import type { ImageRequest, SmallerImage } from "./fit-image.ts";

/** Each try after the first has three quarters of the width before it. */
const step = 0.75;
const minSide = 64;
const jpegQuality = 80;

function shrink({ bytes, maxSide, maxBytes }: ImageRequest): SmallerImage | null {
  const image = PhotonImage.new_from_byteslice(bytes);
  const [width, height] = [image.get_width(), image.get_height()];
  const longest = Math.max(width, height);
  for (let side = Math.min(longest, maxSide); side >= minSide; side *= step) {
    const part = side / longest;
    const sides = [width, height].map((length) => Math.max(1, Math.round(length * part)));
    const [newWidth = 1, newHeight = 1] = sides;
    const smaller = part === 1 ? image : resize(image, newWidth, newHeight, SamplingFilter.Triangle);
    const size = { width: newWidth, height: newHeight };
    // Text in a screenshot stays sharp as PNG; a photo is far smaller as JPEG.
    const png = smaller.get_bytes();
    if (png.length <= maxBytes) return { bytes: png, mimeType: "image/png", ...size };
    const jpeg = smaller.get_bytes_jpeg(jpegQuality);
    if (jpeg.length <= maxBytes) return { bytes: jpeg, mimeType: "image/jpeg", ...size };
  }
  return null;
}

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- only windows have an origin
parentPort?.postMessage(shrink(workerData));
