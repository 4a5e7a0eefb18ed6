/** Conditions that are lists: one of the named values must be met. */
import * as s from '@countersign/core/shapes.js';
import type { ComparedRules } from './condition.js';

/** Shows and compares a list. `shown`: one of its entries. */
export function listOf<Shown extends s.AnyShape>(shown: Shown) {
  return {
    shown: s.array(shown),
    show: (kept: readonly s.InputOf<Shown>[]): s.InputOf<Shown>[] => [...kept],
    covers: (wide: readonly string[], narrow: readonly string[] | undefined): boolean =>
      narrow !== undefined && isSubset(narrow, wide),
  };
}

/** As `listOf`, for values that a request may hold several of. */
export function contentListOf<Shown extends s.AnyShape>(shown: Shown) {
  const list = listOf(shown);
  return {
    ...list,
    turn: 'content' as const,
    covers: (
      wide: readonly string[],
      narrow: readonly string[] | undefined,
      { readAlike }: ComparedRules,
    ): boolean => readAlike && list.covers(wide, narrow),
  };
}

/** Whether every item of `inner` is one of `outer`. */
export function isSubset(inner: readonly string[], outer: readonly string[]): boolean {
  return inner.every((item) => outer.includes(item));
}
