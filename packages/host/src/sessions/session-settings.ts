// Reads what agents answer: modes, config options, how a turn ended.
import { isJsonObject, type Json, type JsonObject, type SessionStarted, type TurnEnded } from "@signalbox/protocol";

/** What is recorded of an agent's answer to `session/new`, `load`, `resume` or `fork`. */
export function sessionStarted(sessionId: string, answer: JsonObject): SessionStarted {
  const { modes, configOptions, sessionId: _, ...more } = answer;
  return {
    type: "session_started",
    session_id: sessionId,
    ...(modes === undefined ? {} : { modes }),
    ...(configOptions === undefined ? {} : { config_options: configOptions }),
    ...(Object.keys(more).length === 0 ? {} : { more }),
  };
}

/** What is recorded of an agent's answer to `session/prompt`. */
export function turnEnded(
  turnId: string,
  { stopReason, usage, ...more }: JsonObject,
  model: string | undefined,
): TurnEnded {
  return {
    type: "turn_ended",
    turn_id: turnId,
    stop_reason: typeof stopReason === "string" ? stopReason : "end_turn",
    ...(isJsonObject(usage) ? { usage } : {}),
    ...(model === undefined ? {} : { model }),
    ...(Object.keys(more).length > 0 ? { more } : {}),
  };
}

export function readModes({ modes }: JsonObject): {
  readonly current: string | null;
  readonly available: readonly Json[];
} {
  if (!isJsonObject(modes)) return { current: null, available: [] };
  const { currentModeId, availableModes } = modes;
  const ids = Array.isArray(availableModes) ? availableModes.filter(isJsonObject).map(({ id }) => id ?? null) : [];
  return { current: typeof currentModeId === "string" ? currentModeId : null, available: ids };
}

export function readValues(configOptions: Json | undefined): ReadonlyMap<string, Json> {
  const options = Array.isArray(configOptions) ? configOptions.filter(isJsonObject) : [];
  return new Map(
    options.flatMap(({ id, currentValue }) =>
      typeof id === "string" && currentValue !== undefined ? [[id, currentValue] as const] : [],
    ),
  );
}

/** The option of a category, such as `model`. */
export function findOption(options: Json, category: string): (JsonObject & { readonly id: string }) | undefined {
  const all = Array.isArray(options) ? options.filter(isJsonObject) : [];
  return all.find((option): option is JsonObject & { id: string } => {
    return option.category === category && typeof option.id === "string";
  });
}
