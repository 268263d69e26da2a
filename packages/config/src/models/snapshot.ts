// The list of models that comes with Signalbox, in the format of models.dev: those that our own providers offer, as they were published up to
// this date. `signalbox models --refresh` gets the whole list.
import { readModels } from "./models-dev.ts";
import models from "./snapshot.json" with { type: "json" };

export const snapshot = { asOf: "2026-11-01", models: readModels(models) };
