// The layers that are open over the view, such as the bar to find text and the scopes of an answer. Escape closes the top one, and nothing else.
import { useEffect, useRef } from "react";

interface Layer {
  readonly close: () => void;
}

const layers: Layer[] = [];

/** While `isOpen`, Escape calls `close` unless another layer was opened later. */
export function useLayer(isOpen: boolean, close: () => void): void {
  const current = useRef(close);
  useEffect(() => {
    current.current = close;
  });
  useEffect(() => {
    if (!isOpen) return;
    const layer = { close: () => current.current() };
    layers.push(layer);
    return () => {
      layers.splice(layers.indexOf(layer), 1);
    };
  }, [isOpen]);
}

/** Closes the top layer. False when none is open. */
export function closeTopLayer(): boolean {
  layers.at(-1)?.close();
  return layers.length > 0;
}
