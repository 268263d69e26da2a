// Keeps a prompt that was typed and not sent, for each thread, in the browser.
import { useCallback, useEffect, useState } from "react";
import { draftAdditions } from "../../stores/draft-additions.ts";
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
      draftAdditions.subscribe(() => {
        const addition = draftAdditions.get();
        if (addition?.threadId !== name) return;
        const before = read<string>(key) ?? "";
        set(before === "" || before.endsWith("\n") ? before + addition.text : `${before}\n\n${addition.text}`);
      }),
    [name, key, set],
  );
  return [text, set];
}
