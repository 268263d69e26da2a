// Chooses one of several: a button that shows the choice and opens a list. The list, with its library, loads when the button is first reached.
import { lazy, type ReactNode, Suspense, useState } from "react";
import { loadPart } from "../../connection/load-part.ts";
import { Icon } from "./icon.tsx";
import type { ListOption } from "./list-option.ts";

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

// Where it does not load, the click tries again and shows why.
const prepare = () => void loadPopup().catch(() => {});

export function ListBox(props: ListBoxProps) {
  const { label, options, value, onChange, look = "field", id, describedBy, isDisabled = false, children } = props;
  /** The button while its list is open. */
  const [trigger, setTrigger] = useState<HTMLElement | null>(null);
  const isOpen = trigger !== null;
  const chosen = options.find((option) => option.value === value);
  return (
    <>
      <button
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
        onClick={({ currentTarget }) => setTrigger(isOpen ? null : currentTarget)}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
          event.preventDefault();
          setTrigger(event.currentTarget);
        }}
      >
        <span className="list-box-value">{children ?? <span>{chosen?.name ?? value}</span>}</span>
        <Icon name="down" isSmall />
      </button>
      {trigger !== null && (
        <Suspense fallback={null}>
          <Popup
            label={label}
            options={options}
            value={value}
            trigger={trigger}
            onChoose={onChange}
            onClose={() => setTrigger(null)}
          />
        </Suspense>
      )}
    </>
  );
}
