// Takes the pictures out of one page of a PDF, and writes them as images that models take.
import { PhotonImage } from "@silvia-odwyer/photon-node";
import { getResolvedPDFJS } from "unpdf";
import type { PDFPageProxy } from "unpdf/pdfjs";
import { shrinkImage } from "./shrink-image.ts";

interface WrittenImage {
  readonly bytes: Uint8Array;
  readonly mimeType: string;
}

/** As the library decoded it. `kind`: 1 has a bit for each pixel, 2 has three bytes, 3 has four. */
interface DecodedImage {
  readonly width: number;
  readonly height: number;
  readonly kind: number;
  readonly data: Uint8Array | Uint8ClampedArray;
}

/** Of the area of the largest: what is smaller is a logo or a line. */
const minPart = 0.1;

/** The largest pictures, in the order in which they are drawn. */
export async function picturesOnPage(
  page: PDFPageProxy,
  maxPictures: number,
  limits: { readonly maxSide: number; readonly maxBytes: number },
): Promise<readonly WrittenImage[]> {
  const found = await decodedImages(page);
  const sizes = found.map(area).toSorted((a, b) => b - a);
  const smallest = Math.max((sizes[0] ?? 0) * minPart, sizes[maxPictures - 1] ?? 0);
  return found
    .filter((image) => area(image) >= smallest)
    .slice(0, maxPictures)
    .flatMap((image) => {
      const pixels = new PhotonImage(withFourBytes(image), image.width, image.height);
      const written = shrinkImage(pixels, { ...limits, isPhoto: image.kind !== 1 });
      pixels.free();
      return written === null ? [] : [written];
    });
}

function area({ width, height }: DecodedImage): number {
  return width * height;
}

async function decodedImages(page: PDFPageProxy): Promise<readonly DecodedImage[]> {
  const { OPS } = await getResolvedPDFJS();
  const { fnArray, argsArray } = await page.getOperatorList();
  const names = fnArray.flatMap((operation, index) =>
    operation === OPS.paintImageXObject ? [String(argsArray[index]?.[0])] : [],
  );
  const images = await Promise.all(
    [...new Set(names)].map(
      (name) =>
        new Promise<unknown>((resolve) => {
          // Those of several pages are kept elsewhere.
          (name.startsWith("g_") ? page.commonObjs : page.objs).get(name, resolve);
        }),
    ),
  );
  return images.filter(isDecoded);
}

/** One that the library cannot decode is null. */
function isDecoded(value: unknown): value is DecodedImage {
  if (typeof value !== "object" || value === null) return false;
  const { width, height, kind, data } = value as Partial<DecodedImage>;
  return [width, height, kind].every((each) => Number.isInteger(each)) && data !== undefined;
}

/** Red, green, blue and opacity for each pixel, on white. */
function withFourBytes({ width, height, kind, data }: DecodedImage): Uint8Array {
  const pixels = new Uint8Array(width * height * 4).fill(255);
  const rowBytes = (width + 7) >> 3;
  for (let y = 0, to = 0; y < height; y++) {
    for (let x = 0; x < width; x++, to += 4) {
      const index = y * width + x;
      if (kind === 1) {
        const isWhite = ((data[y * rowBytes + (x >> 3)] ?? 0) & (0x80 >> (x & 7))) !== 0;
        pixels.fill(isWhite ? 255 : 0, to, to + 3);
      } else {
        const from = index * (kind === 2 ? 3 : 4);
        const opacity = kind === 2 ? 255 : (data[from + 3] ?? 255);
        for (let colour = 0; colour < 3; colour++) {
          pixels[to + colour] = 255 - ((255 - (data[from + colour] ?? 255)) * opacity) / 255;
        }
      }
    }
  }
  return pixels;
}
