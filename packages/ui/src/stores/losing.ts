// The thread that a person wants to delete though work in its worktree is not committed, until they decide.

import type { ThreadRow } from "@signalbox/protocol";
import { Store } from "@signalbox/react";

interface Loss {
  readonly thread: ThreadRow;
  readonly files: readonly string[];
}

export const losing = new Store<Loss | null>(null);
