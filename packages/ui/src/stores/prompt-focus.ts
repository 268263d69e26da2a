// The prompt has the focus on every view that has one: whatever a person types there is text for the agent.
import { addressEvents } from "../hooks/use-route.ts";

/** A new view is shown, and nothing was clicked or typed in it yet. */
let isNewView = true;

// A field that a person went to while the view was loading keeps the focus.
addEventListener("pointerdown", () => (isNewView = false), { capture: true });
addEventListener("input", () => (isNewView = false), { capture: true });
for (const name of addressEvents) addEventListener(name, () => (isNewView = true));

/** Returns the prompt of the view, of two threads that of the active one. */
export function findPrompt(): HTMLTextAreaElement | null {
  const pane = document.querySelector('.pane[data-active="true"]');
  return (pane ?? document).querySelector<HTMLTextAreaElement>("textarea[data-prompt]");
}

/** Focuses the content of a view when it has loaded, unless a person clicked or typed in the meantime, for example opened a menu. */
export function focusNewContent(content: HTMLElement | null): void {
  if (isNewView) content?.focus({ preventScroll: true });
}

/** Focuses the prompt of a view that has just been opened. A phone would show its keyboard over the thread. */
export function focusNewPrompt(): void {
  if (!isNewView || matchMedia("(pointer: coarse)").matches) return;
  if (document.querySelector("dialog[open], [role=dialog], [role=alertdialog]") !== null) return;
  const prompt = findPrompt();
  if (prompt === null) return;
  isNewView = false;
  prompt.focus();
}
