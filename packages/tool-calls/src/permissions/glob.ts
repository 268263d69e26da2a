// Globs of permission rules. In a tool's name `*` is any text; in a path `*` stays inside one folder and `**` does not.

export function nameGlob(pattern: string): RegExp {
  return new RegExp(`^${pattern.split("*").map(escape).join(".*")}$`, "s");
}

export function pathGlob(pattern: string): RegExp {
  const source = pattern.replace(/\*\*\/|\/\*\*$|\*\*|\*|\?|[^*?/]+|\//g, (token) => {
    switch (token) {
      case "**/":
        return "(?:.*/)?";
      case "/**":
        return "(?:/.*)?";
      case "**":
        return ".*";
      case "*":
        return "[^/]*";
      case "?":
        return "[^/]";
      default:
        return escape(token);
    }
  });
  return new RegExp(`^${source}$`, "s");
}

function escape(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, "\\$&");
}
