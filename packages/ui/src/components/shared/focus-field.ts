// Functions for `ref` that focus a field once, when it appears. An inline function would run again at every render and take the focus back.

export function focusField(field: HTMLElement | null): void {
  field?.focus();
}

export function selectField(field: HTMLInputElement | HTMLTextAreaElement | null): void {
  field?.focus();
  field?.select();
}
