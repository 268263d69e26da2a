// stdout carries ACP and nothing else: from here on only this function writes to it, and what others print goes to stderr.

/** Writes a line; the promise, if there is one, resolves when there is room again. */
export function takeStdout(onGone: () => void): (line: string) => Promise<void> | undefined {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  stdout.write = stderr.write.bind(stderr);
  // A client that closed its end has left.
  stdout.on("error", onGone);
  return (line) => {
    if (write(line)) return undefined;
    return new Promise((resolve) => stdout.once("drain", resolve));
  };
}
