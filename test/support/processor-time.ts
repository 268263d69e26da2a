// Measures the processor time of this thread, in milliseconds: unlike a clock it does not depend on what else the machine does.

/** Gives a function that says how much was used since. */
export function processorTime(): () => number {
  const start = process.threadCpuUsage();
  return () => {
    const { user, system } = process.threadCpuUsage(start);
    return (user + system) / 1000;
  };
}
