// Types of build.mjs, which has to be plain JavaScript.
export function buildHelper(options?: {
  log?: (line: string) => void;
}): Promise<{ readonly path: string } | { readonly missing: string }>;
