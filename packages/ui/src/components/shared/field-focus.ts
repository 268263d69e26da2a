// For `ref`: a field takes the focus once, when it appears. Written in place, such a function would be another one at every drawing and run
// again: it would take the focus from where the person went meanwhile, and select away what was typed.

export function focusField(field: HTMLElement | null): void {
  field?.focus();
}

export function selectField(field: HTMLInputElement | null): void {
  field?.focus();
  field?.select();
}
