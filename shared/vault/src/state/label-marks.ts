/** Labels are looked up by name and value together. */

interface Selecting {
  readonly id: string;
  readonly selector?: { readonly labels: Readonly<Record<string, string>> };
}

export function labelMark(name: string, value: string): string {
  return `${name}=${value}`;
}

/** One mark finds the group for all that it may select: whoever lacks that label is not selected. */
export function selectorMarks({ selector }: Selecting): readonly { readonly id: string }[] {
  const [first] = Object.entries(selector?.labels ?? {});
  return first === undefined ? [] : [{ id: labelMark(...first) }];
}
