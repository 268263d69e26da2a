// One entry of a list box.
export interface ListOption {
  readonly value: string;
  readonly name: string;
  /** A fact at the right of the name. */
  readonly hint?: string | undefined;
  /** The heading that it stands under; options of a group follow one another. */
  readonly group?: string;
  readonly isDisabled?: boolean;
  /** Where a list chooses several things, one in each group. Without it, the option with the list's value is chosen. */
  readonly isChosen?: boolean;
}
