// A failure that the model can do something about. Thrown inside a tool, it becomes the call's result with `isError`.

export class ToolFailure extends Error {
  override readonly name = "ToolFailure";
}
