// For tests: the helper, compiled if need be, and the enforcement that this machine gives with it.
import { buildHelper } from "../../native/build.mjs";
import type { Enforcement } from "../enforcement/enforcement.ts";
import { proveEnforcement } from "../enforcement/prove-enforcement.ts";

export async function compiledHelper(): Promise<string> {
  const built = await buildHelper();
  if ("missing" in built) throw new Error(built.missing);
  return built.path;
}

export async function provenEnforcement(): Promise<Enforcement> {
  return proveEnforcement({ helper: await compiledHelper() });
}
