// Names a key that was pressed, the same on every keyboard layout and system.

/** The part of a KeyboardEvent that says which key it is. */
export type PressedKey = Pick<
  KeyboardEvent,
  "key" | "code" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey" | "getModifierState"
>;

/** Whether the key writes a character. AltGr writes one too, although some systems report it as Ctrl and Alt. */
export function isText(pressed: PressedKey): boolean {
  if (pressed.key.length !== 1) return false;
  return pressed.getModifierState("AltGraph") || !(pressed.ctrlKey || pressed.metaKey || pressed.altKey);
}

/** Returns "a", "Escape", "mod+k" (Ctrl or ⌘), "alt+a", "alt+shift+b", or "A" for a capital letter. */
export function nameKey(pressed: PressedKey): string {
  const { ctrlKey, metaKey, altKey, shiftKey, key } = pressed;
  // Caps Lock makes no difference.
  if (isText(pressed)) return shiftKey ? key : key.toLowerCase();
  const name = key.length === 1 ? readLabel(pressed) : key;
  return `${ctrlKey || metaKey ? "mod+" : ""}${altKey ? "alt+" : ""}${shiftKey ? "shift+" : ""}${name}`;
}

/** With Alt, some systems report a special character (å for Alt+A on a Mac): then the position of the key says which one it is. */
function readLabel({ key, code }: PressedKey): string {
  if (/^[a-z.,/]$/i.test(key)) return key.toLowerCase();
  const [, label] = /^(?:Key|Digit)(.)$/.exec(code) ?? [];
  return label?.toLowerCase() ?? signs[code] ?? key.toLowerCase();
}

const signs: Readonly<Record<string, string>> = { Period: ".", Comma: ",", Slash: "/" };
