// Draws the page into the document.
import { createRoot } from "react-dom/client";
import { App } from "./app.tsx";
import type { Signalbox } from "./stores/signalbox.ts";

export function drawPage(root: HTMLElement, signalbox: Signalbox | null): void {
  createRoot(root).render(<App signalbox={signalbox} />);
}
