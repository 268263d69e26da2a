// The box that says a changed file was looked at.
import type { ChangeRow } from "@signalbox/protocol";
import { useStore } from "@signalbox/react";
import { isViewed, toggleViewed, viewedFiles } from "../../stores/viewed-files.ts";
import { visible } from "../../text/visible.ts";
import { CheckBox } from "../shared/check-box.tsx";

interface ViewedBoxProps {
  readonly threadId: string;
  readonly file: ChangeRow;
  /** Whether the word stands beside it. */
  readonly hasLabel?: boolean;
}

export function ViewedBox({ threadId, file, hasLabel = false }: ViewedBoxProps) {
  const isOn = isViewed(useStore(viewedFiles), threadId, file);
  return (
    <span className="viewed-box">
      <CheckBox isOn={isOn} label={`Viewed ${visible(file.path)}`} onChange={() => toggleViewed(threadId, file)} />
      {hasLabel && <span aria-hidden="true">Viewed</span>}
    </span>
  );
}
