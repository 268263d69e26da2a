// The end of a text that may grow without end.
const tailCharacters = 4000;

export class TextTail {
  #text = "";

  add(text: string): void {
    // A long line is cut before it is joined, so that a flood costs what is kept of it.
    this.#text = (this.#text + text.slice(-tailCharacters)).slice(-tailCharacters);
  }

  get text(): string {
    return this.#text.trim();
  }
}
