// What both our agents need.
export {};
