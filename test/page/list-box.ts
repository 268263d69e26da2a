// Chooses in a list box of the page, as a person does: open it, take the option with this name.
import type { Locator } from "playwright-core";

export async function chooseOption(field: Locator, name: string): Promise<void> {
  await field.click();
  await field.page().getByRole("option", { name, exact: true }).click();
}

/** The chosen value, as our code names it. */
export function readValue(field: Locator): Promise<string | null> {
  return field.getAttribute("data-value");
}
