// An agent's regular expression, tried with a bound: some take longer than the age of the universe on a short text.
import { runInNewContext } from "node:vm";

const boundMilliseconds = 100;

/** False when it does not match or takes too long; true for what is no pattern at all, which limits nothing. */
export function matchesPattern(pattern: string, text: string): boolean {
  let expression: RegExp;
  try {
    expression = new RegExp(pattern, "u");
  } catch {
    return true;
  }
  try {
    // A time-out ends a search that is under way only in a context of its own.
    return runInNewContext("expression.test(text)", { expression, text }, { timeout: boundMilliseconds }) === true;
  } catch {
    return false;
  }
}
