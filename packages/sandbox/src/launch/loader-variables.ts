// Lists variables that make the dynamic loader run other code in the next program. A command may have them. They must not reach the program
// that sandboxes it, which is not sandboxed itself.

const loaderVariables = /^(LD_|DYLD_|GLIBC_|GCONV_PATH$|LOCPATH$)/;

interface SplitEnvironment {
  readonly safe: Record<string, string>;
  readonly forCommandOnly: readonly (readonly [name: string, value: string])[];
}

export function splitLoaderVariables(env: Readonly<Record<string, string>>): SplitEnvironment {
  const entries = Object.entries(env);
  return {
    safe: Object.fromEntries(entries.filter(([name]) => !loaderVariables.test(name))),
    forCommandOnly: entries.filter(([name]) => loaderVariables.test(name)),
  };
}
