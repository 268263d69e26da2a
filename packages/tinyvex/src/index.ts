// The register: one writer, one order, typed rows beside an append-only log.
export { openRegister, openRegisterReader, type RegisterOptions } from "./open-register.ts";
export * from "./register.ts";
export { sliceParams } from "./writer/raw-params.ts";
