/** How labels are looked up: by name and value together. */
import type { SecurityGroup } from './state.js';

export function labelMark(name: string, value: string): string {
  return `${name}=${value}`;
}

/** One mark finds the group for everything that it may select: whoever lacks that label is not selected. */
export function selectorMarks({ selector }: SecurityGroup): readonly { readonly id: string }[] {
  const [first] = Object.entries(selector?.labels ?? {});
  return first === undefined ? [] : [{ id: labelMark(...first) }];
}
