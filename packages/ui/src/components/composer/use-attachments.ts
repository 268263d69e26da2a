// The files attached to the prompt: chosen, pasted or dropped.
import { type ClipboardEvent, type DragEvent, useState } from "react";
import { type Attachment, readAttachment } from "./attachments.tsx";

export function useAttachments(attempt: (work: () => Promise<unknown>) => Promise<boolean>) {
  const [attachments, setAttachments] = useState<readonly Attachment[]>([]);
  const [isDraggedOver, setDraggedOver] = useState(false);
  const attach = (files: Iterable<File>) =>
    void attempt(async () => {
      const read = await Promise.all([...files].map(readAttachment));
      setAttachments((now) => [...now, ...read]);
    });
  const onPaste = (event: ClipboardEvent) => {
    if (event.clipboardData.files.length === 0) return;
    event.preventDefault();
    attach(event.clipboardData.files);
  };
  const onDragOver = (event: DragEvent) => {
    event.preventDefault();
    setDraggedOver(true);
  };
  const onDrop = (event: DragEvent) => {
    event.preventDefault();
    setDraggedOver(false);
    attach(event.dataTransfer.files);
  };
  const dropTarget = {
    "data-dragged": isDraggedOver || undefined,
    onDragOver,
    onDragLeave: () => setDraggedOver(false),
    onDrop,
  };
  const remove = (id: string) => setAttachments((now) => now.filter((attachment) => attachment.id !== id));
  return { attachments, setAttachments, attach, remove, onPaste, dropTarget };
}
