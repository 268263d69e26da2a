// Chooses one of several: a button that shows the choice and opens a list. The list, with its library, loads when the button is first reached.
import { lazy, type ReactNode, Suspense, useRef, useState } from "react";
import { loadPart } from "../../connection/load-part.ts";
import { Icon } from "./icon.tsx";

export interface ListOption {
  readonly value: string;
  readonly name: string;
  /** A fact at the right of the name. */
  readonly hint?: string | undefined;
  /** The heading that it stands under; options of a group follow one another. */
  readonly group?: string;
  readonly isDisabled?: boolean;
  /** Where a list chooses several things, one in each group. Without it, the option with the list's value is chosen. */
  readonly isChosen?: boolean;
}

interface ListBoxProps {
  readonly label: string;
  readonly options: readonly ListOption[];
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** A chip is flat and stands in a line of others. */
  readonly look?: "field" | "chip";
  readonly id?: string | undefined;
  readonly describedBy?: string | undefined;
  readonly isDisabled?: boolean | undefined;
  /** Shown on the button instead of the chosen option. */
  readonly children?: ReactNode;
}

const loadPopup = () => loadPart(() => import("./list-box-popup.tsx"));
const Popup = lazy(async () => ({ default: (await loadPopup()).ListBoxPopup }));

export function ListBox(props: ListBoxProps) {
  const { label, options, value, onChange, look = "field", id, describedBy, isDisabled = false, children } = props;
  const [isOpen, setOpen] = useState(false);
  const trigger = useRef<HTMLButtonElement>(null);
  const chosen = options.find((option) => option.value === value);
  // Where it does not load, the click tries again and shows why.
  const prepare = () => void loadPopup().catch(() => {});
  return (
    <>
      <button
        ref={trigger}
        type="button"
        role="combobox"
        id={id}
        className="list-box"
        data-look={look}
        data-value={value}
        aria-label={label}
        aria-haspopup="listbox"
        aria-expanded={isOpen}
        aria-describedby={describedBy}
        title={label}
        disabled={isDisabled}
        onPointerEnter={prepare}
        onFocus={prepare}
        onClick={() => setOpen(!isOpen)}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
          event.preventDefault();
          setOpen(true);
        }}
      >
        <span className="list-box-value">{children ?? chosen?.name ?? value}</span>
        <Icon name="down" isSmall />
      </button>
      {isOpen && trigger.current !== null && (
        <Suspense fallback={null}>
          <Popup
            label={label}
            options={options}
            value={value}
            trigger={trigger.current}
            onChoose={onChange}
            onClose={() => setOpen(false)}
          />
        </Suspense>
      )}
    </>
  );
}
