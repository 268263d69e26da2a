// Makes a content block of a file that goes with a prompt: a picture as it is, anything else as a link that every agent understands.
import { readFile, stat } from "node:fs/promises";
import { basename, extname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { type ContentBlock, HostError, messageOf } from "@signalbox/protocol";

const pictures: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
};

/** What a prompt can carry, with a third more for its letters. */
const maxPictureBytes = 32 * 1024 * 1024;

/** Throws a HostError that says why it cannot be sent. */
export async function fileBlock(path: string): Promise<ContentBlock> {
  const whole = resolve(path);
  const mimeType = pictures[extname(whole).toLowerCase()];
  const uri = pathToFileURL(whole).href;
  try {
    const status = await stat(whole);
    const { size } = status;
    // A pipe or a device that is called like a picture has no end.
    if (!status.isFile() && !(mimeType === undefined && status.isDirectory()))
      throw new Error("it is not a plain file");
    if (mimeType !== undefined && size > maxPictureBytes)
      throw new Error(`a picture has at most ${maxPictureBytes / 1024 / 1024} MB`);
    if (mimeType !== undefined) return { type: "image", data: await readFile(whole, "base64"), mimeType, uri };
    return { type: "resource_link", uri, name: basename(whole), size };
  } catch (error) {
    throw new HostError("bad_request", `The file ${path} cannot be sent: ${messageOf(error)}`);
  }
}
