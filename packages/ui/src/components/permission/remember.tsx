// Chooses how long an answer is remembered.
import type { RememberScope } from "@signalbox/rules";

const labels: Record<RememberScope, string> = {
  once: "no",
  thread: "this thread",
  folder: "this folder",
  always: "everywhere",
};

interface Choice {
  readonly scope: RememberScope;
  /** What the host can remember. */
  readonly scopes: readonly RememberScope[];
  readonly onChange: (scope: RememberScope) => void;
}

export function Remember({ scope, scopes, onChange }: Choice) {
  return (
    <label className="remember">
      Remember <kbd>R</kbd>
      <select value={scope} onChange={(event) => onChange(event.target.value as RememberScope)}>
        {scopes.map((name) => (
          <option key={name} value={name}>
            {labels[name]}
          </option>
        ))}
      </select>
    </label>
  );
}
