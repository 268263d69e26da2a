// The mark of an agent: a tile with two letters of its name, or our own signal. With a lamp on its corner it stands for a thread.
import type { ReactNode } from "react";

interface MarkProps {
  readonly agentId: string;
  /** As people read it; the first two letters stand on the tile. */
  readonly name: string;
  readonly size?: "small" | "usual" | "big";
  /** The lamp on its corner. */
  readonly children?: ReactNode;
}

export function Mark({ agentId, name, size = "usual", children }: MarkProps) {
  return (
    <span
      className="mark"
      data-size={size}
      data-letters={agentId === ownAgent ? "" : abbreviate(name)}
      aria-hidden="true"
    >
      {agentId === ownAgent && <Signal />}
      {children}
    </span>
  );
}

const ownAgent = "signalbox";

/** "Claude Code" is "CC", "Codex" is "Co". */
function abbreviate(name: string): string {
  const words = name.match(/[\p{L}\p{N}]+/gu) ?? [];
  const [first = "?", second] = words;
  return second === undefined ? first.slice(0, 2) : `${first[0]}${second[0]}`;
}

/** The mast with two lamps that is the sign of Signalbox. */
export function Signal() {
  return (
    <i className="mast">
      <i />
      <i />
    </i>
  );
}
