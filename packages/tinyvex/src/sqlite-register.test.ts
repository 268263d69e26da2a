import { registerContract } from "./register-contract.ts";
import { temporaryRegister } from "./testing/temporary-register.ts";

registerContract("SQLite", temporaryRegister);
