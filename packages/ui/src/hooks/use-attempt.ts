// Runs an action that may fail. Its error message stays until the next attempt.
import { messageOf } from "@signalbox/protocol";
import { useCallback, useState } from "react";

interface Attempt {
  readonly error: string | null;
  readonly isBusy: boolean;
  /** Resolves to true when it succeeded. */
  readonly attempt: (work: () => Promise<unknown>) => Promise<boolean>;
  readonly clear: () => void;
}

export function useAttempt(): Attempt {
  const [state, setState] = useState<{ error: string | null; isBusy: boolean }>({ error: null, isBusy: false });
  const attempt = useCallback(async (work: () => Promise<unknown>) => {
    setState({ error: null, isBusy: true });
    try {
      await work();
      setState({ error: null, isBusy: false });
      return true;
    } catch (error) {
      setState({ error: messageOf(error), isBusy: false });
      return false;
    }
  }, []);
  const clear = useCallback(() => setState({ error: null, isBusy: false }), []);
  return { ...state, attempt, clear };
}
