// Reads from a refusal of the host which files stand against it.

import { HostError, isJsonObject } from "@signalbox/protocol";

/** Empty where files are not the reason. */
export function readRefusedFiles(error: unknown): readonly string[] {
  const files = error instanceof HostError && isJsonObject(error.details) ? error.details.files : null;
  return Array.isArray(files) ? files.filter((file) => typeof file === "string") : [];
}
