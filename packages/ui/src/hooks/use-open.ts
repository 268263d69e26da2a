import { useCallback, useSyncExternalStore } from "react";
import { openItems, setOpen } from "../stores/open-items.ts";

/** Whether a card is open: what the person chose, else the default. */
export function useOpen(key: string, isOpenByDefault: boolean): readonly [boolean, () => void] {
  const chosen = useSyncExternalStore(openItems.subscribe, () => openItems.get().get(key));
  const isOpen = chosen ?? isOpenByDefault;
  const toggle = useCallback(() => setOpen(key, !isOpen), [key, isOpen]);
  return [isOpen, toggle];
}
