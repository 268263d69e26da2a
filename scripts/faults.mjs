// `npm run faults [-- --seed N --minutes M]`: the built host, real agents and clients under load, and faults at moments that the seed chooses. `--only WORD`
// runs only the faults whose name has the word, `--round N` only that round of the seed.

import { runFaults } from "./setup/run-faults.mjs";
import { orExplain, setUp } from "./setup/set-up.mjs";

const { node } = await orExplain(() => setUp({ build: true }));
process.exitCode = await runFaults(node, process.argv.slice(2));
