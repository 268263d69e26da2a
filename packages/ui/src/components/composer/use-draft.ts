// Keeps a prompt that was typed and not sent, for each thread, in the browser.
import { useCallback, useEffect, useState } from "react";
import { draftAdditions } from "../../stores/draft-additions.ts";
import { read, write } from "../../stores/stored-value.ts";

/** The text that is kept now, also when no field shows it. */
export function readDraft(name: string): string {
  return read<string>(`draft.${name}`) ?? "";
}

export function useDraft(name: string): readonly [string, (text: string) => void] {
  const key = `draft.${name}`;
  const [text, setText] = useState(() => readDraft(name));
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
        const before = readDraft(name);
        set(before === "" || before.endsWith("\n") ? before + addition.text : `${before}\n\n${addition.text}`);
      }),
    [name, set],
  );
  return [text, set];
}
