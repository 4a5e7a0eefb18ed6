/** Choices that are the same for the same seed. */
export interface Random {
  /** From 0 to below 1. */
  readonly next: () => number;
  readonly chance: (of: number) => boolean;
  readonly pick: <Item>(items: readonly Item[]) => Item;
  /** At least one of them, in their order. */
  readonly some: <Item>(items: readonly Item[]) => Item[];
}

/** Mulberry32, public domain: good enough to choose, and for nothing else. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const pick = <Item>(items: readonly Item[]) => items[Math.floor(next() * items.length)]!;
  const chance = (of: number) => next() < of;
  const some = <Item>(items: readonly Item[]) => {
    const chosen = items.filter(() => chance(0.5));
    return chosen.length > 0 ? chosen : [pick(items)];
  };
  return { next, chance, pick, some };
}
