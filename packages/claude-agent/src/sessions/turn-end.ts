// Decides how a turn ended: with a stop reason, or with an error that says what to do.
import type { StopReason } from "@agentclientprotocol/sdk";
import { ClaudeError } from "../errors/claude-error.ts";
import type { TurnResult } from "../sdk/messages.ts";

export const keyRefusedMessage =
  "Claude refused the key or log-in. Check ANTHROPIC_API_KEY, or run `claude` in a terminal and log in with /login.";

/** `errorKind` is how Claude Code classified the error, if there was one. Throws a `ClaudeError`. */
export function turnEnd(result: TurnResult, errorKind: string | null): StopReason {
  if (!result.isError) return convertStopReason(result.stopReason);
  if (result.terminalReason?.startsWith("aborted_") === true) return "cancelled";
  if (result.subtype === "error_max_turns" || result.terminalReason === "max_turns") return "max_turn_requests";
  throw createTurnError(result, errorKind);
}

/** Of the program that runs Claude Code. */
export function deathError(how: string, stderr: string): ClaudeError {
  const told = stderr.trim() === "" ? "" : ` It said: ${stderr.trim()}`;
  return new ClaudeError(
    "claude_died",
    `Claude Code ended by itself (${how}). The next prompt starts it again.${told}`,
  );
}

export function createLoginError(): ClaudeError {
  return new ClaudeError(
    "not_logged_in",
    "Claude Code is not logged in. Run `claude` in a terminal and log in with /login, or set ANTHROPIC_API_KEY.",
  );
}

function convertStopReason(reason: string | null): StopReason {
  switch (reason) {
    case "max_tokens":
      return "max_tokens";
    case "refusal":
      return "refusal";
    default:
      return "end_turn";
  }
}

function createTurnError({ text, apiStatus, terminalReason }: TurnResult, kind: string | null): ClaudeError {
  if (terminalReason === "prompt_too_long" || /prompt is too long/i.test(text)) {
    return new ClaudeError(
      "context_full",
      `The conversation does not fit into the model's context any more. Send /compact to sum it up, or start a new thread. (${text})`,
    );
  }
  if (/not logged in/i.test(text)) return createLoginError();
  if (kind === "billing_error" || /credit balance is too low/i.test(text)) {
    return new ClaudeError(
      "no_credit",
      `The account has no credit left. Top it up, or log in with another one. (${text})`,
    );
  }
  if (kind === "authentication_failed" || kind === "oauth_org_not_allowed" || apiStatus === 401 || apiStatus === 403) {
    return new ClaudeError("key_refused", `${keyRefusedMessage} (${text})`);
  }
  if (kind === "model_not_found" || apiStatus === 404) {
    return new ClaudeError(
      "model_not_found",
      `This model is not there, or not for this account. Choose another one. (${text})`,
    );
  }
  if (apiStatus === 529 || kind === "overloaded") {
    return new ClaudeError("overloaded", `Claude is overloaded. Send the prompt again in a few minutes. (${text})`);
  }
  if (apiStatus === 429 || kind === "rate_limit" || /you've (?:hit|reached) your/i.test(text)) {
    return new ClaudeError(
      "rate_limited",
      `The limit of this account is reached. Wait, or use another account. (${text})`,
    );
  }
  return new ClaudeError(
    "model_failed",
    text === "" ? "Claude Code failed and did not say why. Send the prompt again." : text,
  );
}
