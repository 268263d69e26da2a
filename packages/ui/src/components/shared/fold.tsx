// A line that unfolds what is below it.
import { type ReactNode, useId, useState } from "react";
import { Icon } from "./icon.tsx";

interface FoldProps {
  readonly summary: ReactNode;
  readonly isOpenFirst?: boolean;
  readonly className?: string;
  readonly children: ReactNode;
}

export function Fold({ summary, isOpenFirst = false, className, children }: FoldProps) {
  const [isOpen, setOpen] = useState(isOpenFirst);
  const id = useId();
  return (
    <div className={className === undefined ? "unfold" : `unfold ${className}`}>
      <button
        type="button"
        className="unfold-line"
        aria-expanded={isOpen}
        aria-controls={id}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name={isOpen ? "down" : "right"} isSmall />
        {summary}
      </button>
      {isOpen && <div id={id}>{children}</div>}
    </div>
  );
}
