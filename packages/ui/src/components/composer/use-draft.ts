// Keeps a prompt that was typed and not sent, for each thread, in the browser.
import { useCallback, useEffect, useState } from "react";
import { quotes } from "../../stores/quotes.ts";
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
  useEffect(
    () =>
      quotes.subscribe(() => {
        const quote = quotes.get();
        if (quote?.threadId !== name) return;
        const before = read<string>(key) ?? "";
        set(before === "" || before.endsWith("\n") ? before + quote.text : `${before}\n\n${quote.text}`);
      }),
    [name, key, set],
  );
  return [text, set];
}
