// How long an answer holds: this once, this thread, this folder, always.
import type { RememberScope } from "@signalbox/protocol";

export const scopes: readonly RememberScope[] = ["once", "thread", "folder", "always"];

const words: Record<RememberScope, string> = {
  once: "only this once",
  thread: "in this thread",
  folder: "in this folder",
  always: "everywhere",
};

export function Remember({ scope, onChange }: { scope: RememberScope; onChange: (scope: RememberScope) => void }) {
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
