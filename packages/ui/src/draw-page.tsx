// Draws the page into the document.
import { lazy, Suspense } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { loadPart } from "./connection/load-part.ts";
import type { Signalbox } from "./stores/signalbox.ts";

const PairPage = lazy(() => loadPart(() => import("./components/shell/pair-page.tsx")));

/** `pairing`: the address has a code to pair this device by. */
export function drawPage(
  root: HTMLElement,
  signalbox: Signalbox | null,
  pairing: { readonly code: string; readonly fingerprint: string | null } | null,
): void {
  createRoot(root).render(
    pairing === null ? (
      <App signalbox={signalbox} />
    ) : (
      <Suspense fallback={null}>
        <PairPage {...pairing} />
      </Suspense>
    ),
  );
}
