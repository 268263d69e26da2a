// Knows whether a person has opened everything of a question that can be opened: an answer before that is one without looking.
import type { PermissionRow } from "@signalbox/protocol";
import { useState } from "react";
import { foldedPaths } from "./asked-changes.tsx";
import { isCommandFolded } from "./command-view.tsx";
import type { AskedFiles } from "./use-asked-files.ts";

export function useUnread({ subject }: Pick<PermissionRow, "subject">, { files, missing }: AskedFiles) {
  const [openedFiles, setOpenedFiles] = useState<ReadonlySet<string>>(new Set());
  const [isCommandOpen, setCommandOpen] = useState(false);
  const isUnread =
    missing !== null ||
    files.some((file) => file.too_big === true) ||
    foldedPaths(files).some((path) => !openedFiles.has(path)) ||
    (subject !== null && isCommandFolded(subject) && !(isCommandOpen && subject.command_end === null));
  return {
    isUnread,
    isCommandOpen,
    openCommand: () => setCommandOpen(true),
    openFile: (path: string) => setOpenedFiles(new Set(openedFiles).add(path)),
  };
}
