// Set-up by itself: `./signalbox` runs it in a checkout that is not built yet or no longer fresh.
import { orExplain, setUp } from "./setup/set-up.mjs";

await orExplain(() => setUp({ build: true }));
