// Makes random tests try the same values in every run: `npm test` fails for what was changed, never by chance. `SIGNALBOX_SEED=5` tries others.
import fc from "fast-check";

fc.configureGlobal({ seed: Number(process.env.SIGNALBOX_SEED ?? 17) });
