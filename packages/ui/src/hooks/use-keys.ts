// The keys of the page. A key with Alt, Ctrl or ⌘ works everywhere; a plain letter is text, and a command only inside the part of the page that
// has the focus by keyboard. Text that no field receives goes into the prompt.
import { type RefObject, useEffect, useLayoutEffect, useRef } from "react";
import { closeTopLayer } from "../stores/layers.ts";
import { findPrompt } from "../stores/prompt-focus.ts";
import { isText, nameKey } from "./key-name.ts";
import { usePane } from "./pane.ts";

/** By the names of `nameKey`. */
type KeyMap = Readonly<Record<string, (event: KeyboardEvent) => void>>;

interface Binding {
  keys: KeyMap;
  /** The part of the page that must have the focus, unless a key is held with Alt, Ctrl or ⌘; null for keys that write no text. */
  part: RefObject<HTMLElement | null> | null;
  /** Only the part itself, and nothing in it. */
  isExact: boolean;
  /** Letters are text while this is true. */
  isTyped: () => boolean;
}

interface KeyOptions {
  readonly isWanted?: boolean;
  readonly part?: RefObject<HTMLElement | null>;
  readonly isExact?: boolean;
  readonly isTyped?: () => boolean;
}

/** In the order in which they came: the latest is asked first. */
const bindings: Binding[] = [];

/** Of two threads side by side, only the active one gets keys. Letters without Alt, Ctrl or ⌘ need a `part`. */
export function useKeys(keys: KeyMap, options: KeyOptions = {}): void {
  const { isWanted = true, part = null, isExact = false, isTyped = never } = options;
  const { isActive } = usePane();
  const isEnabled = isWanted && isActive;
  const binding = useRef<Binding>({ keys, part, isExact, isTyped });
  // Before anything is drawn: a key that the page shows must do what it says.
  useLayoutEffect(() => {
    binding.current.keys = keys;
  });
  useEffect(() => {
    if (!isEnabled) return;
    const added = binding.current;
    bindings.push(added);
    return () => {
      bindings.splice(bindings.indexOf(added), 1);
    };
  }, [isEnabled]);
}

const never = () => false;

/** The pointer was pressed and gave the focus, or was pressed where the focus is. */
let isFocusByPointer = false;
let isPointerDown = false;
/** A menu, list or dialog was open when the key was pressed. It may be gone by the time the key arrives here. */
let hadPopup = false;

addEventListener("pointerdown", () => (isFocusByPointer = isPointerDown = true), { capture: true });
addEventListener("pointerup", () => (isPointerDown = false), { capture: true });
addEventListener("focusin", () => (isFocusByPointer = isPointerDown), { capture: true });
addEventListener(
  "keydown",
  ({ target }) => {
    isPointerDown = false;
    hadPopup = hasPopup(target);
  },
  { capture: true },
);
addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing || event.repeat || hadPopup) return;
  if (event.key === "Escape" && leaveLayer(event)) return;
  const action = findAction(event);
  if (action !== undefined) {
    event.preventDefault();
    action(event);
  } else if (isText(event) && event.key !== " " && !isTyping(event.target)) {
    // The browser writes the character into the field that has the focus after this.
    findPrompt()?.focus();
  }
});

function findAction(event: KeyboardEvent): KeyMap[string] | undefined {
  const name = nameKey(event);
  const isLetter = isText(event);
  // These move the caret of a field.
  if ((isLetter || name === "Home" || name === "End") && isTyping(event.target)) return undefined;
  return bindings.findLast(({ keys, part, isExact, isTyped }) => {
    if (keys[name] === undefined) return false;
    // A person who clicked into a part and then types writes text.
    if (isLetter) return part !== null && !isFocusByPointer && !isTyped() && hasFocus(part.current, isExact);
    return part === null || name.includes("+") || hasFocus(part.current, isExact);
  })?.keys[name];
}

function hasFocus(part: HTMLElement | null, isExact: boolean): boolean {
  return isExact ? part === document.activeElement : part?.contains(document.activeElement) === true;
}

/** Escape leaves the top layer: one that is open over the view, words in a filter, or selected text. False when there is none. */
function leaveLayer(event: KeyboardEvent): boolean {
  if (closeTopLayer()) event.preventDefault();
  else if (event.target instanceof HTMLInputElement && event.target.type === "search") {
    // The browser empties it.
    if (event.target.value !== "") return true;
    const prompt = findPrompt();
    prompt?.focus();
    return prompt !== null;
  } else if (document.getSelection()?.isCollapsed === false && !isTyping(event.target)) {
    document.getSelection()?.removeAllRanges();
  } else return false;
  return true;
}

/** An open dialog or menu gets all keys. So does a list, but not the suggestions under a prompt, which has its own keys for them. */
function hasPopup(target: EventTarget | null): boolean {
  const shown = "dialog[open], :is([role=dialog], [role=alertdialog], [role=menu]):not([hidden])";
  if (document.querySelector(shown) !== null) return true;
  return target !== findPrompt() && document.querySelector("[role=listbox]:not([hidden])") !== null;
}

function isTyping(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  if (target instanceof HTMLInputElement) return !["checkbox", "radio", "button"].includes(target.type);
  return target.isContentEditable || target instanceof HTMLTextAreaElement || target instanceof HTMLSelectElement;
}
