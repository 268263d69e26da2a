// A menu under a button. A choice, Escape or losing the focus closes it; arrow keys move in it.
import { type KeyboardEvent, type ReactNode, useEffect, useRef, useState } from "react";

interface MenuProps {
  readonly label: string;
  readonly icon: ReactNode;
  /** False where something beside it opens it by a key. */
  readonly isTabStop?: boolean;
  readonly children: ReactNode;
}

export function Menu({ label, icon, isTabStop = true, children }: MenuProps) {
  const [isOpen, setOpen] = useState(false);
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (!isOpen) return;
    frame.current?.querySelector<HTMLElement>("[role=menuitem]")?.focus();
  }, [isOpen]);
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isOpen) return;
    const items = [...(frame.current?.querySelectorAll<HTMLElement>("[role=menuitem]") ?? [])];
    const here = items.indexOf(document.activeElement as HTMLElement);
    if (event.key === "ArrowDown") items[(here + 1) % items.length]?.focus();
    else if (event.key === "ArrowUp") items[(here + items.length - 1) % items.length]?.focus();
    else if (event.key === "Escape") {
      setOpen(false);
      frame.current?.querySelector<HTMLElement>("[aria-haspopup]")?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      className="menu"
      ref={frame}
      onKeyDown={onKeyDown}
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setOpen(false);
      }}
    >
      <button
        type="button"
        className="quiet"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        aria-label={label}
        tabIndex={isTabStop ? undefined : -1}
        onClick={() => setOpen(!isOpen)}
      >
        {icon}
      </button>
      {isOpen && (
        <div role="menu" aria-label={label} className="menu-list" onClick={() => setOpen(false)}>
          {children}
        </div>
      )}
    </div>
  );
}

interface MenuItemProps {
  readonly name: string;
  readonly isDangerous?: boolean | undefined;
  readonly onChoose: () => void;
}

export function MenuItem({ name, isDangerous = false, onChoose }: MenuItemProps) {
  return (
    <button type="button" role="menuitem" className={isDangerous ? "no" : undefined} onClick={onChoose}>
      {name}
    </button>
  );
}
