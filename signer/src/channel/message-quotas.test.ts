import { describe, expect, it } from '@jest/globals';
import type { Alarm } from '@countersign/runtime/alarms/alarms.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { createMessageQuotas } from './message-quotas.js';
import type { PartyMessage } from './messages.js';

function openQuotas() {
  const clock = { now: 1_000_000 };
  const raised: Alarm[] = [];
  const quotas = createMessageQuotas(
    { raise: (alarm) => void raised.push(alarm) },
    () => clock.now,
  );
  const admitted = (party: PartyNumber, kind: PartyMessage['kind'], count: number, bytes = 20) =>
    Array.from({ length: count }, () => quotas.admit(party, kind, bytes)).filter(Boolean).length;
  return { clock, raised, admitted };
}

describe('what a party may say', () => {
  it.each([
    ['need-commitments', 256, 64],
    ['commitments', 256, 64],
    ['contribution', 2_000, 1_000],
    ['finished', 2_000, 1_000],
    ['vouch-request', 1_000, 500],
    ['vouch', 1_000, 500],
    ['ceremony', 2_000, 1_000],
  ] as const)('%s: %d at once, then %d each second', (kind, atOnce, perSecond) => {
    const { clock, admitted } = openQuotas();
    expect(admitted(3, kind, 10_000)).toBe(atOnce);
    clock.now += 1_000;
    expect(admitted(3, kind, 10_000)).toBe(perSecond);
  });

  it('is bounded in bytes as well', () => {
    const { clock, admitted } = openQuotas();
    expect(admitted(3, 'contribution', 100, 524_288)).toBe(32);
    clock.now += 1_000;
    expect(admitted(3, 'contribution', 100, 524_288)).toBe(16);
    expect(admitted(3, 'ceremony', 100, 1_048_576)).toBe(16);
  });

  it('takes nothing from another party, nor from another kind of its own', () => {
    const { admitted } = openQuotas();
    admitted(3, 'need-commitments', 100_000);
    expect(admitted(2, 'need-commitments', 256)).toBe(256);
    expect(admitted(3, 'contribution', 2_000)).toBe(2_000);
  });

  it('is named when it says more', () => {
    const { raised, admitted } = openQuotas();
    admitted(3, 'ceremony', 2_000);
    expect(raised).toEqual([]);
    admitted(3, 'ceremony', 1);
    expect(raised).toEqual([
      {
        kind: 'party_floods',
        party: 3,
        reason: 'the party sent more ceremony messages than allowed',
      },
    ]);
  });
});
