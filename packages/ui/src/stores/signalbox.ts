// The page's client: what every client has, and the threads to delete, which can still be undone.
import { type ClientOptions, SignalboxClient } from "@signalbox/react";
import { Deletions } from "./deletions.ts";

export class Signalbox extends SignalboxClient {
  readonly deletions: Deletions;

  constructor(options: ClientOptions) {
    super(options);
    this.deletions = new Deletions(this.connection);
  }
}
