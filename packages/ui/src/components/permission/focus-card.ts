// Gives the focus to the question of the thread, where plain letters then answer it.

/** Of two threads side by side, the question of the active one. */
export function focusCard(): void {
  const pane = document.querySelector('.pane[data-active="true"]');
  (pane ?? document).querySelector<HTMLElement>("[data-card]")?.focus();
}
