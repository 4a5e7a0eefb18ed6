import { describe, expect, it } from '@jest/globals';
import { createRecentSigning } from './recent-signing.js';

describe('recent signing', () => {
  it('lasts for ten seconds after the start and after each batch', () => {
    let now = 1_000_000;
    const recent = createRecentSigning(() => now);
    const after = (ms: number) => {
      now += ms;
      return recent.isSigning();
    };
    expect([after(0), after(9_999), after(1)]).toEqual([true, true, false]);
    recent.note();
    expect([after(9_999), after(1)]).toEqual([true, false]);
  });
});
