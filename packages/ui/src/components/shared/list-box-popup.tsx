// The open list of a list box: arrows, Home, End and typing choose, Enter takes, Escape closes. A long list has a field to find in it.
import { Combobox, ComboboxItem, ComboboxList, ComboboxProvider } from "@ariakit/react/combobox";
import { SelectGroup, SelectGroupLabel, SelectItem, SelectPopover, SelectProvider } from "@ariakit/react/select";
import { type KeyboardEvent, type SyntheticEvent, useMemo, useState } from "react";
import { fuzzyFilter } from "../../text/fuzzy.ts";
import { Icon } from "./icon.tsx";
import type { ListOption } from "./list-option.ts";

interface ListBoxPopupProps {
  readonly label: string;
  readonly options: readonly ListOption[];
  readonly value: string;
  /** The list opens beside it and gives the focus back to it. */
  readonly trigger: HTMLElement;
  readonly onChoose: (value: string) => void;
  readonly onClose: () => void;
}

/** With more options than this, one types to find. */
const withoutFind = 9;

export function ListBoxPopup({ label, options, value, trigger, onChoose, onClose }: ListBoxPopupProps) {
  const [find, setFind] = useState("");
  const canFind = options.length > withoutFind;
  const groups = useMemo(() => {
    const found = find === "" ? options : fuzzyFilter(find, options, ({ name }) => name);
    return [...Map.groupBy(found, ({ group }) => group)];
  }, [options, find]);
  const items = groups.map(([group, members]) => (
    <SelectGroup key={group ?? ""} className="list-group">
      {group !== undefined && <SelectGroupLabel className="list-group-label">{group}</SelectGroupLabel>}
      {members.map((option) => (
        <Option
          key={option.value}
          option={option}
          isChosen={option.isChosen ?? option.value === value}
          isFound={canFind}
        />
      ))}
    </SelectGroup>
  ));
  const popover = {
    portal: true,
    // A list outside an open dialog would lie under it.
    portalElement: trigger.closest("dialog") ?? document.body,
    getAnchorRect: () => trigger.getBoundingClientRect(),
    finalFocus: trigger,
    // A press on the button closes the list by itself.
    hideOnInteractOutside: ({ target }: Event | SyntheticEvent) =>
      !(target instanceof Node && trigger.contains(target)),
    gutter: 4,
    fitViewport: true,
    className: "list-popup",
    "aria-label": label,
    // The keys of the page wait until the list is closed.
    onKeyDown: (event: KeyboardEvent) => event.stopPropagation(),
  } as const;
  const choose = (chosen: string) => {
    if (chosen !== value) onChoose(chosen);
  };
  const select = { open: true, setOpen: (isOpen: boolean) => !isOpen && onClose(), value, setValue: choose };
  if (!canFind)
    return (
      <SelectProvider {...select}>
        <SelectPopover {...popover}>{items}</SelectPopover>
      </SelectProvider>
    );
  return (
    <ComboboxProvider value={find} setValue={setFind}>
      <SelectProvider {...select}>
        <SelectPopover {...popover}>
          <Combobox className="list-find" autoSelect placeholder="Find" aria-label={`Find in ${label}`} />
          <ComboboxList className="list-found">{items}</ComboboxList>
          {groups.length === 0 && <p className="hint">No matches.</p>}
        </SelectPopover>
      </SelectProvider>
    </ComboboxProvider>
  );
}

function Option({ option, isChosen, isFound }: { option: ListOption; isChosen: boolean; isFound: boolean }) {
  const { value, name, hint, isDisabled = false } = option;
  return (
    <SelectItem
      value={value}
      disabled={isDisabled}
      className="list-option"
      aria-label={name}
      aria-description={hint}
      aria-selected={isChosen}
      {...(isFound && { render: <ComboboxItem /> })}
    >
      <span className="list-check">{isChosen && <Icon name="check" isSmall />}</span>
      <span className="list-name">{name}</span>
      {hint !== undefined && hint !== "" && <small>{hint}</small>}
    </SelectItem>
  );
}
