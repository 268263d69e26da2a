// A name that shows and hides what is below it.
import { type ReactNode, useId, useState } from "react";
import { Icon } from "./icon.tsx";

export function Disclosure({ name, children }: { name: string; children: ReactNode }) {
  const [isOpen, setOpen] = useState(false);
  const id = useId();
  return (
    <div className="disclosure">
      <button type="button" aria-expanded={isOpen} aria-controls={id} onClick={() => setOpen(!isOpen)}>
        <Icon name="right" isSmall />
        {name}
      </button>
      <div id={id}>{isOpen && children}</div>
    </div>
  );
}
