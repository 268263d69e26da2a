// Chooses the machine that a new thread works on. Only where machines share their threads.
import type { MachineRow } from "@signalbox/protocol";

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
    <label>
      Machine
      <select aria-label="Machine" value={value} onChange={(event) => onChange(event.target.value)}>
        <option value={own.machine}>{own.machine} (this one)</option>
        {others.map((other) => {
          const reason = whyNot(own, other);
          return (
            <option key={other.machine} value={other.machine} disabled={reason !== null}>
              {other.machine}
              {reason !== null && ` (${reason})`}
            </option>
          );
        })}
      </select>
    </label>
  );
}

/** Why no thread can be started there; null when one can. */
function whyNot(own: MachineRow, other: MachineRow): string | null {
  if (own.control === "off") return "shared.control is off here";
  if (other.control === "off") return "takes no commands";
  return other.online ? null : "off";
}
