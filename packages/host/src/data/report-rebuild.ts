// Tells every screen how far the register is with making its rows again after an update of Signalbox.
import type { ProgressMessage } from "@signalbox/protocol";
import type { Register } from "@signalbox/tinyvex";

export function reportRebuild(
  register: Pick<Register, "onRebuild">,
  send: (message: ProgressMessage) => void,
): () => void {
  let reported = "";
  return register.onRebuild((progress) => {
    const isFinished = progress === null;
    const percent = progress === null ? 100 : Math.floor((100 * progress.done) / progress.total);
    const message = `Rebuilding the index: ${percent} %`;
    // A screen that connects in between hears of the next percent.
    if (message === reported && !isFinished) return;
    reported = message;
    send({ type: "host.progress", task: "rebuild", subject: "register", message, finished: isFinished, ...progress });
  });
}
