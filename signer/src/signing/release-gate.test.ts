import { describe, expect, it } from '@jest/globals';
import type { VaultState } from '@countersign/vault/state/state.js';
import { createReleaseGate, type Seen } from './release-gate.js';

describe('what is under way', () => {
  it('is nothing at first, and nothing again once all of it is done', () => {
    const gate = createReleaseGate();
    expect(gate.oldest).toBeUndefined();
    const release = gate.enter(0);
    expect(gate.oldest).toBe(0);
    release.done();
    expect(gate.oldest).toBeUndefined();
  });

  it('rests on the earliest head, in whatever order it began and ends', () => {
    const gate = createReleaseGate();
    const [nine, seven, eight] = [9, 7, 8].map((seq) => gate.enter(seq));
    expect(gate.oldest).toBe(7);
    seven!.done();
    expect(gate.oldest).toBe(8);
    nine!.done();
    expect(gate.oldest).toBe(8);
    eight!.done();
    expect(gate.oldest).toBeUndefined();
  });

  it('is not done because something else over the same head is, nor by being done twice', () => {
    const gate = createReleaseGate();
    const [one] = [gate.enter(7), gate.enter(7)];
    one!.done();
    one!.done();
    expect(gate.oldest).toBe(7);
  });

  it('is told to every listener once, after it was done', () => {
    const gate = createReleaseGate();
    const heard: unknown[] = [];
    gate.onDone(() => heard.push(['a', gate.oldest]));
    gate.onDone(() => heard.push(['b', gate.oldest]));
    const [seven, eight] = [gate.enter(7), gate.enter(8)];
    expect(heard).toEqual([]);
    seven.done();
    seven.done();
    eight.done();
    expect(heard).toEqual([
      ['a', 8],
      ['b', 8],
      ['a', undefined],
      ['b', undefined],
    ]);
  });

  it('is stopped by every freeze until it says what can come of it, and then by those of that', () => {
    const gate = createReleaseGate();
    const [calm, frozen] = [{} as VaultState, {} as VaultState];
    const [nothing, folded, pending]: Seen[] = [
      { state: calm, optimistic: calm },
      { state: frozen, optimistic: calm },
      { state: calm, optimistic: frozen },
    ];
    const [seven] = [gate.enter(7), gate.enter(8)];
    expect(gate.oldestFrozen(nothing!)).toBe(7);
    seven.narrow((state) => state === frozen);
    expect(gate.oldestFrozen(nothing!)).toBe(8);
    expect(gate.oldestFrozen(folded!)).toBe(7);
    expect(gate.oldestFrozen(pending!)).toBe(7);
    expect(gate.oldest).toBe(7);
    seven.done();
    expect(gate.oldestFrozen(pending!)).toBe(8);
  });
});
