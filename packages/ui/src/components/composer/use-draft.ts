// Keeps a prompt that was typed and not sent, for each thread, in the browser.
import { useCallback, useState } from "react";
import { read, write } from "../../stores/stored-value.ts";

export function useDraft(name: string): readonly [string, (text: string) => void] {
  const key = `draft.${name}`;
  const [text, setText] = useState(() => read<string>(key) ?? "");
  const set = useCallback(
    (next: string) => {
      setText(next);
      write(key, next);
    },
    [key],
  );
  return [text, set];
}
