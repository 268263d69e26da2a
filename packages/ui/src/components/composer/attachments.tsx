// Reads files that are attached to a prompt (pasted, dropped or chosen) and lists them until the prompt is sent.
import type { ContentBlock } from "@signalbox/protocol";
import { bytes } from "@signalbox/protocol/sizes";

export interface Attachment {
  readonly id: string;
  readonly name: string;
  readonly size: number;
  readonly block: ContentBlock;
  /** A data address for the preview of a picture. */
  readonly picture: string | null;
}

const maxBytes = 10_000_000;

export async function readAttachment(file: File): Promise<Attachment> {
  if (file.size > maxBytes) {
    throw new Error(
      `${file.name} is too large (${bytes(file.size)}, at most ${bytes(maxBytes)}). Put it into the folder and mention it with @.`,
    );
  }
  const head = { id: crypto.randomUUID(), name: file.name, size: file.size };
  if (file.type.startsWith("image/")) {
    const data = await encodeBase64(file);
    const picture = `data:${file.type};base64,${data}`;
    return { ...head, picture, block: { type: "image", mimeType: file.type, data } };
  }
  const uri = `file:///${encodeURIComponent(file.name)}`;
  const mimeType = file.type === "" ? "text/plain" : file.type;
  const text = await file.text();
  // A replacement character means that the file is not text.
  const resource = text.includes("\uFFFD")
    ? { uri, mimeType, blob: await encodeBase64(file) }
    : { uri, mimeType, text };
  return { ...head, picture: null, block: { type: "resource", resource } };
}

async function encodeBase64(file: File): Promise<string> {
  const data = new Uint8Array(await file.arrayBuffer());
  let text = "";
  for (let at = 0; at < data.length; at += 32_768) text += String.fromCharCode(...data.subarray(at, at + 32_768));
  return btoa(text);
}

export function Attachments({
  attachments,
  onRemove,
}: {
  attachments: readonly Attachment[];
  onRemove: (id: string) => void;
}) {
  if (attachments.length === 0) return null;
  return (
    <ul className="attachments" aria-label="Attachments">
      {attachments.map(({ id, name, size, picture }) => (
        <li key={id}>
          {picture !== null && <img src={picture} alt="" />}
          <span>{name}</span>
          <small>{bytes(size)}</small>
          <button type="button" aria-label={`Remove ${name}`} onClick={() => onRemove(id)}>
            ×
          </button>
        </li>
      ))}
    </ul>
  );
}
