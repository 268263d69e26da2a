// Images that are too big for a provider, and those that only pretend to be images.
import { crc32, deflateSync } from "node:zlib";
import { imageSize } from "image-size";
import { expect, it } from "vitest";
import { fitImage, noteOnSize } from "./fit-image.ts";

const { signal } = new AbortController();
const base64 = (bytes: Buffer) => ({ data: bytes.toString("base64"), mimeType: "image/png" });

it("leaves alone what fits, and what is no image", async () => {
  for (const bytes of [grayPng(300, 200), Buffer.from("\x89PNG\r\n\x1a\nnothing", "latin1")]) {
    expect(await fitImage(base64(bytes), signal)).toEqual({ image: base64(bytes) });
  }
});

it("makes a wide image as wide as a provider takes it, with its proportions, and says so", async () => {
  const { image, note } = await fitImage(base64(grayPng(4000, 1000)), signal);
  expect(imageSize(Buffer.from(image.data, "base64"))).toMatchObject({ width: 2000, height: 500, type: "png" });
  expect(note).toBe("[The image has 4000 × 1000 pixels. It is shown with 2000 × 500.]");
  expect(noteOnSize({ width: 40, height: 10 }, { width: 40, height: 10 })).toBeUndefined();
});

it("refuses an image that would fill the memory, and one that is damaged, with the reason", async () => {
  await expect(fitImage(base64(grayPng(100_000, 100_000, false)), signal)).rejects.toThrow(
    "The image is too big: 100000 × 100000 pixels",
  );
  await expect(fitImage(base64(grayPng(5000, 100, false)), signal)).rejects.toThrow(
    "This is an image that cannot be read",
  );
});

/** Without `isWhole` only its head is there. */
function grayPng(width: number, height: number, isWhole = true): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 0, 0, 0, 0], 8);
  const pixels = isWhole ? deflateSync(Buffer.alloc((width + 1) * height)) : Buffer.alloc(0);
  const signature = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");
  return Buffer.concat([signature, part("IHDR", head), part("IDAT", pixels), part("IEND", Buffer.alloc(0))]);
}

function part(name: string, content: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(name, "latin1"), content]);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(content.length);
  const check = Buffer.alloc(4);
  check.writeUInt32BE(crc32(named));
  return Buffer.concat([length, named, check]);
}
