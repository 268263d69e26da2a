// Makes an image smaller in a thread of its own. fit-image.ts starts it.
import { parentPort, workerData } from "node:worker_threads";
import { PhotonImage } from "@silvia-odwyer/photon-node";
import type { ImageRequest } from "./fit-image.ts";
import { shrinkImage } from "./shrink-image.ts";

const { bytes, ...limits }: ImageRequest = workerData;

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- only windows have an origin
parentPort?.postMessage(shrinkImage(PhotonImage.new_from_byteslice(bytes), limits));
