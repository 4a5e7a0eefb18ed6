import { describe, expect, it } from '@jest/globals';
import type { Alarm } from '@countersign/runtime/alarms/alarms.js';
import type { LeadItem, LeadResult } from '../threads/thread-tasks.js';
import { createLeadWithLoans } from './lead-with-loans.js';

const SIGNED = { ok: true } as LeadResult;
const REFUSED: LeadResult = { ok: false, reason: 'partner-share', culprit: 3 };

const item = (partnerParty: number, slot: number, type = 'ed25519') =>
  ({ key: { type }, partnerParty, slot, serial: 1 }) as unknown as LeadItem;

/** Party 2 has slots 20 to 29, party 3 those from 30 to 39. */
function openLead(result: (item: LeadItem) => LeadResult = () => SIGNED) {
  const taken: LeadItem[] = [];
  const used: number[] = [];
  const raised: Alarm[] = [];
  const lead = createLeadWithLoans(
    async (items) => {
      taken.push(...items);
      return items.map(result);
    },
    {
      isLentTo: (party, slot) => Math.floor(slot / 10) === party,
      noteUsed: (party) => void used.push(party),
    },
    { raise: (alarm) => void raised.push(alarm) },
  );
  return { lead, taken, used, raised };
}

describe('a contribution', () => {
  it('that names what its party borrowed is signed with, and counts as used', async () => {
    const { lead, used, raised } = openLead();
    expect(await lead([item(2, 20), item(3, 30), item(2, 21)])).toEqual([SIGNED, SIGNED, SIGNED]);
    expect(used).toEqual([2, 3, 2]);
    expect(raised).toEqual([]);
  });

  it("that names another party's uses up nothing, names its sender, and spoils nothing beside it", async () => {
    const { lead, taken, used, raised } = openLead();
    const items = [item(3, 30), item(3, 20), item(3, 10), item(2, 20)];
    const gone = { ok: false, reason: 'nonce-gone' };
    expect(await lead(items)).toEqual([SIGNED, gone, gone, SIGNED]);
    expect(taken).toEqual([items[0], items[3]]);
    expect(used).toEqual([3, 2]);
    expect(raised.map(({ kind, party }) => [kind, party])).toEqual([
      ['party_misbehaved', 3],
      ['party_misbehaved', 3],
    ]);
  });

  it('that comes to no signature has its party lent no more', async () => {
    const { lead, used } = openLead(() => REFUSED);
    expect(await lead([item(3, 30)])).toEqual([REFUSED]);
    expect(used).toEqual([]);
  });

  it.each(['rsa', 'hmac'])('to an %s signature needs no commitment', async (type) => {
    const { lead, used } = openLead();
    expect(await lead([item(3, 0, type)])).toEqual([SIGNED]);
    expect(used).toEqual([]);
  });
});
