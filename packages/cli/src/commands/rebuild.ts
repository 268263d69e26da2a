// `signalbox rebuild` makes every row of the register again from its event log.
import { duration } from "@signalbox/protocol";
import { formatCount } from "@signalbox/reports";
import { command, exitCodes, jsonFlag, registerFlags } from "../command.ts";
import { nothingKept } from "../nothing-kept.ts";
import { Output } from "../output.ts";
import { Progress } from "../progress.ts";
import { describeRebuild } from "../register/open-for-reading.ts";
import { rebuildRegister } from "../register/rebuild-register.ts";

export const rebuild = command({
  usage: "signalbox rebuild [flags]",
  about:
    "Rebuilds every row of the register from its event log. Stop Signalbox first: the register must not be in use. After an update Signalbox does this by itself, in the background, where it is needed.",
  flags: { ...jsonFlag("one object {events, duration_ms}"), ...registerFlags },
  examples: [["signalbox rebuild", "when a row looks wrong"]],
  async run(flags) {
    const output = new Output();
    const startedAt = performance.now();
    using progress = new Progress("Reading the event log …");
    const events = await rebuildRegister(flags["data-dir"], (rebuilt) => progress.show(describeRebuild(rebuilt)));
    if (events === null) return nothingKept(output, flags.json);
    const took = Math.round(performance.now() - startedAt);
    output.line(
      flags.json
        ? JSON.stringify({ events, duration_ms: took })
        : `Rebuilt every row from ${formatCount(events, "event")} in ${duration(took)}.`,
    );
    return exitCodes.ok;
  },
});
