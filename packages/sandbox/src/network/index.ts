// @signalbox/sandbox/network: the proxy of a network by name. Apart from the rest, because most processes never need it.
export { AllowList, allowEntryProblem } from "./allow-list.ts";
export { doorTo } from "./door-places.ts";
export { type DoorConnection, type DoorRequest, type DoorVerdict, NetworkDoor } from "./network-door.ts";
