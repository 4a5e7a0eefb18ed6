import { describe, expect, it } from '@jest/globals';
import type { AuditEntryView } from '@countersign/api/service-schema.js';
import {
  ChangedLogError,
  followOnce,
  type AuditPositions,
  type FollowDeps,
} from './follow-audit.js';

function entryOf(chain: string, seq: number): AuditEntryView {
  return {
    chain,
    seq,
    time: '2026-01-02T03:04:05.006Z',
    actor: 'a',
    action: 'b',
    resource: {
      type: 'none',
      ids: [],
      vault_ids: [],
      wallet_addresses: [],
      key_ids: [],
      user_ids: [],
    },
    outcome: 'allowed',
    request_id: null,
    details: {},
    prev_hash: `${chain} ${seq - 1}`,
    hash: `${chain} ${seq}`,
  };
}

/** Chains of these lengths, of which a reader gets two entries at once. */
function logOf(lengths: Record<string, number>) {
  const handed: string[] = [];
  let saved: AuditPositions = {};
  const deps: FollowDeps = {
    listChains: async () => Object.entries(lengths).map(([name, seq]) => ({ name, seq })),
    readChain: async (name, after) =>
      [after + 1, after + 2]
        .filter((seq) => seq <= lengths[name]!)
        .map((seq) => entryOf(name, seq)),
    handOver: async (entries) => void handed.push(...entries.map(({ hash }) => hash)),
    save: async (positions) => void (saved = positions),
  };
  return { lengths, deps, handed, saved: () => saved };
}

const allOf = (chain: string, from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => `${chain} ${from + index}`);

describe('following the audit log', () => {
  it('hands every entry of every chain over, in its order', async () => {
    const { deps, handed, saved } = logOf({ ledger: 5, 'party_1:a': 3 });
    await followOnce(deps, {});
    expect(handed).toEqual([...allOf('ledger', 1, 5), ...allOf('party_1:a', 1, 3)]);
    expect(saved()).toEqual({
      ledger: { seq: 5, hash: 'ledger 5' },
      'party_1:a': { seq: 3, hash: 'party_1:a 3' },
    });
  });

  it('goes on where it was, with what came late and with chains that are new', async () => {
    const { lengths, deps, handed, saved } = logOf({ ledger: 3 });
    await followOnce(deps, {});
    handed.length = 0;
    Object.assign(lengths, { ledger: 4, 'gateway:b': 1 });
    await followOnce(deps, saved());
    expect(handed).toEqual(['ledger 4', 'gateway:b 1']);
  });

  it('writes down no place before what is there was handed over, so that a restart repeats it', async () => {
    const { deps, handed, saved } = logOf({ ledger: 5 });
    const failing = {
      ...deps,
      handOver: async (entries: readonly AuditEntryView[]) => {
        if (entries[0]!.seq === 3) throw new Error('the SIEM is away');
        await deps.handOver(entries);
      },
    };
    await expect(followOnce(failing, {})).rejects.toThrow('the SIEM is away');
    expect(saved()).toEqual({ ledger: { seq: 2, hash: 'ledger 2' } });
    await followOnce(deps, saved());
    expect(handed).toEqual(allOf('ledger', 1, 5));
  });

  it('leaves a chain for later of which the next entry is not there yet', async () => {
    const { deps, handed } = logOf({ 'gateway:a': 3, 'party_1:b': 1 });
    const waiting = {
      ...deps,
      readChain: async (name: string, after: number) =>
        name === 'gateway:a' ? [] : deps.readChain(name, after),
    };
    expect(await followOnce(waiting, {})).toEqual({ 'party_1:b': { seq: 1, hash: 'party_1:b 1' } });
    expect(handed).toEqual(['party_1:b 1']);
  });

  it.each([
    ['is shorter than before', { ledger: { seq: 6 } }, 'was the database rolled back?'],
    ['is another than before', { ledger: { seq: 2, hash: 'other' } }, 'does not follow'],
  ])('says that a chain %s', async (_name, positions, message) => {
    const { deps, handed } = logOf({ ledger: 5 });
    await expect(followOnce(deps, positions)).rejects.toThrow(message);
    await expect(followOnce(deps, positions)).rejects.toThrow(ChangedLogError);
    expect(handed).toEqual([]);
  });

  it('says that a chain is gone altogether, and hands nothing over', async () => {
    const { lengths, deps, handed, saved } = logOf({ ledger: 3, 'party_1:b': 2 });
    await followOnce(deps, {});
    handed.length = 0;
    delete lengths['party_1:b'];
    lengths['ledger'] = 4;
    await expect(followOnce(deps, saved())).rejects.toThrow(ChangedLogError);
    await expect(followOnce(deps, saved())).rejects.toThrow('chain party_1:b is gone, and 2 was');
    expect(handed).toEqual([]);
  });

  it('does not miss a chain of which nothing was handed over', async () => {
    const { deps, handed } = logOf({ ledger: 1 });
    await followOnce(deps, { 'party_1:b': { seq: 0 } });
    expect(handed).toEqual(['ledger 1']);
  });

  it('takes no entries that leave one out', async () => {
    const { deps } = logOf({ ledger: 5 });
    const gappy = { ...deps, readChain: async () => [entryOf('ledger', 1), entryOf('ledger', 3)] };
    await expect(followOnce(gappy, {})).rejects.toThrow('has 3 behind 1');
  });

  it('starts behind a number that was given alone', async () => {
    const { deps, handed } = logOf({ ledger: 5 });
    await followOnce(deps, { ledger: { seq: 4 } });
    expect(handed).toEqual(['ledger 5']);
  });
});
