// The open detail of a chip.
import { Popover, PopoverProvider } from "@ariakit/react/popover";
import type { SyntheticEvent } from "react";

interface DetailPopupProps {
  readonly label: string;
  readonly rows: readonly (readonly [label: string, value: string])[];
  readonly action: { readonly name: string; readonly run: () => void } | undefined;
  /** It opens beside this and gives the focus back to it. */
  readonly trigger: HTMLElement;
  readonly onClose: () => void;
}

export function DetailPopup({ label, rows, action, trigger, onClose }: DetailPopupProps) {
  return (
    <PopoverProvider open setOpen={(isOpen) => !isOpen && onClose()} placement="bottom-start">
      <Popover
        portal
        portalElement={trigger.closest("dialog") ?? document.body}
        getAnchorRect={() => trigger.getBoundingClientRect()}
        finalFocus={trigger}
        hideOnInteractOutside={({ target }: Event | SyntheticEvent) =>
          !(target instanceof Node && trigger.contains(target))
        }
        gutter={4}
        className="list-popup detail"
        aria-label={label}
        onKeyDown={(event) => event.stopPropagation()}
      >
        <dl>
          {rows.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        {action !== undefined && (
          <button
            type="button"
            className="button"
            onClick={() => {
              action.run();
              onClose();
            }}
          >
            {action.name}
          </button>
        )}
      </Popover>
    </PopoverProvider>
  );
}
