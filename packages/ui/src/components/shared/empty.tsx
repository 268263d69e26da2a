// An empty place says what will be here and, below it, the one step that brings it.
import type { ReactNode } from "react";

export function Empty({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="empty">
      <svg viewBox="0 0 120 16" width="120" height="16" aria-hidden="true">
        <path d="M0 12h120M28 12c8 0 8-8 16-8h24c8 0 8 8 16 8" fill="none" stroke="currentColor" strokeWidth="2" />
        <circle cx="12" cy="12" r="3" />
        <circle cx="108" cy="12" r="3" />
      </svg>
      <strong>{title}</strong>
      <p>{children}</p>
    </div>
  );
}
