// The names of keys, on several systems and layouts.
import { expect, it } from "vitest";
import { isText, nameKey, type PressedKey } from "./key-name.ts";

function press(
  key: string,
  code: string,
  ...held: readonly ("ctrl" | "meta" | "alt" | "shift" | "AltGraph")[]
): PressedKey {
  return {
    key,
    code,
    ctrlKey: held.includes("ctrl"),
    metaKey: held.includes("meta"),
    altKey: held.includes("alt"),
    shiftKey: held.includes("shift"),
    getModifierState: (name) => held.some((each) => each === name),
  };
}

it.each([
  ["a letter", press("a", "KeyA"), "a"],
  ["a capital letter", press("B", "KeyB", "shift"), "B"],
  ["a letter under Caps Lock", press("A", "KeyA"), "a"],
  ["Ctrl+K", press("k", "KeyK", "ctrl"), "mod+k"],
  ["⌘K", press("k", "KeyK", "meta"), "mod+k"],
  ["Ctrl+Shift+F", press("F", "KeyF", "ctrl", "shift"), "mod+shift+f"],
  ["Alt+A", press("a", "KeyA", "alt"), "alt+a"],
  ["⌥A on a Mac", press("å", "KeyA", "alt"), "alt+a"],
  ["⌥L on a German Mac", press("@", "KeyL", "alt"), "alt+l"],
  ["Alt+A where A is at another place", press("a", "KeyQ", "alt"), "alt+a"],
  ["Alt+1 on a French keyboard", press("&", "Digit1", "alt"), "alt+1"],
  ["⌥. on a Mac", press("≥", "Period", "alt"), "alt+."],
  ["Alt+Shift+B", press("B", "KeyB", "alt", "shift"), "alt+shift+b"],
  ["Escape", press("Escape", "Escape"), "Escape"],
  ["Alt+↑", press("ArrowUp", "ArrowUp", "alt"), "alt+ArrowUp"],
])("names %s", (_, pressed, name) => expect(nameKey(pressed)).toBe(name));

it.each([
  ["a letter is", press("a", "KeyA"), true],
  ["AltGr+A on Windows is", press("ą", "KeyA", "ctrl", "alt", "AltGraph"), true],
  ["Alt+A is not", press("a", "KeyA", "alt"), false],
  ["Enter is not", press("Enter", "Enter"), false],
])("%s text", (_, pressed, expected) => expect(isText(pressed)).toBe(expected));
