// Yes or no, in our own drawing: a box for what is part of a form or list, a switch for what acts at once, a radio for one of a few.
import type { KeyboardEvent } from "react";
import { Icon } from "./icon.tsx";

interface CheckProps {
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
  /** Only where no label stands around it. */
  readonly label?: string | undefined;
  readonly id?: string | undefined;
  readonly describedBy?: string | undefined;
  readonly isDisabled?: boolean | undefined;
}

export function CheckBox({ isOn, onChange, label, id, describedBy, isDisabled }: CheckProps) {
  return (
    <button
      type="button"
      role="checkbox"
      className="check-box"
      id={id}
      aria-checked={isOn}
      aria-label={label}
      aria-describedby={describedBy}
      disabled={isDisabled}
      onClick={() => onChange(!isOn)}
    >
      {isOn && <Icon name="check" isSmall />}
    </button>
  );
}

export function Switch({ isOn, onChange, label, isDisabled }: CheckProps) {
  return (
    <button
      type="button"
      role="switch"
      className="switch"
      aria-checked={isOn}
      aria-label={label}
      disabled={isDisabled}
      onClick={() => onChange(!isOn)}
    />
  );
}

/** One of a group: what holds several of them has the role "radiogroup" and `moveInRadioGroup` as its key handler. */
export function Radio({ isOn, onChoose }: { isOn: boolean; onChoose: () => void }) {
  return (
    <button
      type="button"
      role="radio"
      className="radio"
      aria-checked={isOn}
      tabIndex={isOn ? 0 : -1}
      onClick={onChoose}
    />
  );
}

/** A group is one stop of Tab; arrow keys choose in it. */
export function moveInRadioGroup(event: KeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
  if (step === undefined) return;
  event.preventDefault();
  const radios = [...event.currentTarget.querySelectorAll<HTMLElement>("[role=radio]")];
  const here = radios.findIndex((radio) => radio === document.activeElement);
  const next = radios.at((here + step) % radios.length);
  next?.focus();
  next?.click();
}
