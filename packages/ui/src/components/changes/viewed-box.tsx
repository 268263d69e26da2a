// The box that says a changed file was looked at.
import type { ChangeRow } from "@signalbox/protocol";
import { useStore } from "@signalbox/react";
import { isViewed, toggleViewed, viewedFiles } from "../../stores/viewed-files.ts";
import { visible } from "../../text/visible.ts";
import { Icon } from "../shared/icon.tsx";

interface ViewedBoxProps {
  readonly threadId: string;
  readonly file: ChangeRow;
  readonly hasLabel?: boolean;
}

export function ViewedBox({ threadId, file, hasLabel = false }: ViewedBoxProps) {
  const isOn = isViewed(useStore(viewedFiles), threadId, file);
  return (
    <button
      type="button"
      role="checkbox"
      className="viewed-box"
      aria-checked={isOn}
      aria-label={`Viewed ${visible(file.path)}`}
      onClick={() => toggleViewed(threadId, file)}
    >
      <i aria-hidden="true">{isOn && <Icon name="check" isSmall />}</i>
      {hasLabel && "Viewed"}
    </button>
  );
}
