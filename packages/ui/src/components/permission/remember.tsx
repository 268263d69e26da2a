// This control chooses how long an answer holds: this once, this thread, this folder, always.
import type { RememberScope } from "@signalbox/rules";

const words: Record<RememberScope, string> = {
  once: "only this once",
  thread: "in this thread",
  folder: "in this folder",
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
            {words[name]}
          </option>
        ))}
      </select>
    </label>
  );
}
