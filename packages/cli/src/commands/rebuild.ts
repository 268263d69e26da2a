// `signalbox rebuild`: every row again from the log, which is the truth.
import { counted, duration, rebuildRegister } from "@signalbox/host";
import { command, exitCodes, jsonFlag, registerFlags } from "../command.ts";
import { nothingKept } from "../nothing-kept.ts";
import { Output } from "../output.ts";
import { Progress } from "../progress.ts";

export const rebuild = command({
  usage: "signalbox rebuild [flags]",
  about:
    "Drops every row of the register and makes it again from the log: all or nothing. Needs the register for itself, so stop the host first.",
  flags: { ...jsonFlag("one object {events, duration_ms}"), ...registerFlags },
  examples: [["signalbox rebuild", "after an upgrade that says so, or when a row looks wrong"]],
  async run(flags) {
    const output = new Output();
    const begun = performance.now();
    using progress = new Progress("Reading the log …");
    const events = await rebuildRegister(flags["data-dir"], (done, total) =>
      progress.say(`Replaying the log: ${done} of ${counted(total, "event")}`),
    );
    if (events === null) return nothingKept(output, flags.json);
    const took = Math.round(performance.now() - begun);
    output.line(
      flags.json
        ? JSON.stringify({ events, duration_ms: took })
        : `Rebuilt every row from ${counted(events, "event")} in ${duration(took)}.`,
    );
    return exitCodes.ok;
  },
});
