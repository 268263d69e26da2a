// The text of a field that the host proposes, later than the field is drawn. What arrives while the person is in the field does not change it
// under their hands: a letter typed then would be added to a text that they did not see.
import { useState } from "react";

interface ArrivingText {
  readonly text: string;
  /** Null: the proposed text again. */
  readonly set: (text: string | null) => void;
  readonly onFocus: () => void;
  readonly onBlur: () => void;
}

/** `proposed`: empty until it is known. */
export function useArrivingText(proposed: string): ArrivingText {
  const [typed, set] = useState<string | null>(null);
  /** The field's text when the person entered it; null while the field is not focused. */
  const [held, setHeld] = useState<string | null>(null);
  const text = typed ?? held ?? proposed;
  return { text, set, onFocus: () => setHeld(text), onBlur: () => setHeld(null) };
}
