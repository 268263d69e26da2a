// Makes a content block of a file that goes with a prompt: a picture as it is, anything else as a link that every agent understands.
import { readFile, stat } from "node:fs/promises";
import { basename, extname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type ContentBlock, messageOf } from "@signalbox/protocol";
import { HostError } from "../data/host-error.ts";

const pictures: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
};

export async function fileBlock(path: string): Promise<ContentBlock> {
  const whole = resolve(path);
  const mimeType = pictures[extname(whole).toLowerCase()];
  const uri = pathToFileURL(whole).href;
  try {
    if (mimeType !== undefined) return { type: "image", data: await readFile(whole, "base64"), mimeType, uri };
    const { size } = await stat(whole);
    return { type: "resource_link", uri, name: basename(whole), size };
  } catch (error) {
    throw new HostError("bad_request", `The file ${path} cannot be sent: ${messageOf(error)}`);
  }
}
