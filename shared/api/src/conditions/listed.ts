/** Conditions that are lists: one of the named values must be met. */
import * as s from '@countersign/core/shapes.js';
import type { ComparedRules } from './condition.js';

/** States, keeps, shows and compares a list. `most`: entries that a request may state; `item`, `shown`: one of them. */
export function listOf<Item extends s.AnyShape, Shown extends s.AnyShape>(
  item: Item,
  shown: Shown,
  most = 100,
) {
  return {
    stated: s.array(item).min(1).max(most),
    shown: s.array(shown),
    keep: (stated: readonly s.OutputOf<Item>[]): readonly s.OutputOf<Item>[] => [
      ...new Set(stated),
    ],
    show: (kept: readonly s.OutputOf<Item>[]): s.OutputOf<Item>[] => [...kept],
    covers: (wide: readonly string[], narrow: readonly string[] | undefined): boolean =>
      narrow !== undefined && isSubset(narrow, wide),
  };
}

/** As `listOf`, for values that a request may hold several of. */
export function contentListOf<Item extends s.AnyShape, Shown extends s.AnyShape>(
  item: Item,
  shown: Shown,
  most?: number,
) {
  const list = listOf(item, shown, most);
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
