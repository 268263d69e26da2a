// This module knows which environment variables cannot make a command do something else.

const harmless: ReadonlySet<string> = new Set(
  "CI NO_COLOR FORCE_COLOR CLICOLOR CLICOLOR_FORCE TERM COLORTERM COLUMNS LINES LANG LANGUAGE LC_ALL LC_CTYPE LC_MESSAGES TZ DEBIAN_FRONTEND PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE GIT_TERMINAL_PROMPT NPM_CONFIG_COLOR npm_config_color CLAUDECODE GEMINI_CLI".split(
    " ",
  ),
);

/** Variables that name a program, and the programs that do nothing. */
const harmlessPrograms: Readonly<Record<string, readonly string[]>> = {
  PAGER: ["", "cat"],
  GIT_PAGER: ["", "cat"],
  MANPAGER: ["", "cat"],
  GIT_EDITOR: ["true", ":"],
  EDITOR: ["true", ":"],
  VISUAL: ["true", ":"],
};

export interface Variable {
  readonly name: string;
  readonly value: string;
}

export function isHarmlessVariable(name: string, value: string): boolean {
  if (Object.hasOwn(harmlessPrograms, name)) return harmlessPrograms[name]?.includes(value) === true;
  return harmless.has(name) && /^[\w.:@,-]*$/.test(value);
}
