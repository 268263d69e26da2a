// Allows every call. This is the default handler, and it logs that once, so that it is never used by accident.
import { type Log, logToStderr } from "../log.ts";
import { allow, type PermissionDecision, type PermissionHandler } from "./permission.ts";

const told = new WeakSet<Log>();

export class AlwaysAllowPermissionHandler implements PermissionHandler {
  readonly #log: Log;

  constructor(log: Log = logToStderr) {
    this.#log = log;
  }

  decide(): PermissionDecision {
    if (!told.has(this.#log)) {
      told.add(this.#log);
      this.#log(
        "Every tool call is allowed without asking (AlwaysAllowPermissionHandler, the default). " +
          "Pass a ClientPermissionHandler or a RulePermissionHandler as `permissions` to change that.",
      );
    }
    return allow();
  }
}
