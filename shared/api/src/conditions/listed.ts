/** Conditions that are lists: of what they name one has to be met. */
import * as s from '@countersign/core/shapes.js';
import type { ComparedRules } from './condition.js';

/** As a condition keeps, shows and compares its list. `most`: entries that a request may state; `item`, `shown`: one of them. */
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

/** As `listOf`, of what a request may hold several of. */
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

/** Compared as it stands, so no character that looks like another. */
export const visibleText = (most: number) =>
  s
    .string()
    .max(most)
    .regex(/^[\x21-\x7e]+(?: [\x21-\x7e]+)*$/, 'must be printable ASCII');
