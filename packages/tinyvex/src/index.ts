// The register: one writer, one order, typed rows beside an append-only log.
export * from "./register.ts";
