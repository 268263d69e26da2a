// A chip that opens its detail: rows of label and value, and one action. Its code loads when the chip is first reached.
import { lazy, type ReactNode, Suspense, useState } from "react";
import { loadPart } from "../../connection/load-part.ts";

interface DetailProps {
  readonly label: string;
  /** Which chip it is, for its style. */
  readonly name: string;
  readonly title?: string | undefined;
  readonly signal?: string | undefined;
  readonly rows: readonly (readonly [label: string, value: string])[];
  readonly action?: { readonly name: string; readonly run: () => void } | undefined;
  readonly children: ReactNode;
}

const loadPopup = () => loadPart(() => import("./detail-popup.tsx"));
const Popup = lazy(async () => ({ default: (await loadPopup()).DetailPopup }));
// Where it does not load, the click tries again and shows why.
const prepare = () => void loadPopup().catch(() => {});

export function Detail({ label, name, title, signal, rows, action, children }: DetailProps) {
  /** The chip while its detail is open. */
  const [trigger, setTrigger] = useState<HTMLElement | null>(null);
  return (
    <>
      <button
        type="button"
        className={`chip ${name}`}
        data-signal={signal}
        title={title}
        aria-haspopup="dialog"
        aria-expanded={trigger !== null}
        onPointerEnter={prepare}
        onFocus={prepare}
        onClick={({ currentTarget }) => setTrigger(trigger === null ? currentTarget : null)}
      >
        {children}
      </button>
      {trigger !== null && (
        <Suspense fallback={null}>
          <Popup label={label} rows={rows} action={action} trigger={trigger} onClose={() => setTrigger(null)} />
        </Suspense>
      )}
    </>
  );
}
