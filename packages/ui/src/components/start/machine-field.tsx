// Chooses the machine that a new thread works on. Only where machines share their threads.

import type { MachineRow } from "@signalbox/protocol";
import { ListBox } from "../shared/list-box.tsx";

interface MachineFieldProps {
  readonly machines: readonly MachineRow[];
  /** The name of the chosen machine. */
  readonly value: string;
  readonly onChange: (machine: string) => void;
}

export function MachineField({ machines, value, onChange }: MachineFieldProps) {
  const [own, ...others] = machines;
  if (own === undefined || others.length === 0) return null;
  return (
    <ListBox
      look="chip"
      label="Machine"
      value={value}
      onChange={onChange}
      options={[
        { value: own.machine, name: own.machine, hint: "this one" },
        ...others.map((other) => {
          const reason = whyNot(own, other);
          return { value: other.machine, name: other.machine, hint: reason ?? "", isDisabled: reason !== null };
        }),
      ]}
    />
  );
}

/** Why no thread can be started there; null when one can. */
function whyNot(own: MachineRow, other: MachineRow): string | null {
  if (own.control === "off") return "shared.control is off here";
  if (other.control === "off") return "takes no commands";
  return other.online ? null : "off";
}
