// A failure that the model can act on. A tool throws it; its message becomes the result of the call.

export class ToolFailure extends Error {
  override readonly name = "ToolFailure";
}
