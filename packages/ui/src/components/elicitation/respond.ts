// How a question is answered: the content goes with an accepted form only.
import type { JsonObject } from "@signalbox/protocol";

export type Respond = (action: "accept" | "decline" | "cancel", content?: JsonObject) => Promise<void>;
