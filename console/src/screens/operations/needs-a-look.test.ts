import { existsSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { getSystemOperationsOperation } from '@countersign/api/operations/system-operations.js';
import type { Figures } from './live-figures.js';
import { findingsOf } from './needs-a-look.js';

const EXAMPLE = getSystemOperationsOperation.example.response as Figures;
const { parties, ledger, gateway, signing, freezes } = EXAMPLE;
const HEALTHY: Figures = { ...EXAMPLE, stuck_requests: [], alarms: [] };

function withDown(...down: number[]): Figures['parties'] {
  return parties.map((one) => ({ ...one, is_alive: !down.includes(one.party) }));
}

function withFirst(change: Partial<Figures['parties'][number]>): Figures['parties'] {
  return parties.map((one) => (one.party === 1 ? { ...one, ...change } : one));
}

const [first] = parties as [Figures['parties'][number]];
const failing = { ...first.replicas[0]!, has_answered: false, failures: 3 };

describe('what needs a look', () => {
  it('is nothing where all is well', () => {
    expect(findingsOf(HEALTHY)).toEqual([]);
  });

  it.each<[string, Partial<Figures>, 'bad' | 'warn']>([
    ['stopped following', { ledger: { ...ledger, is_stopped: true } }, 'bad'],
    ['waited for two', { ledger: { ...ledger, pending: 2, oldest_ms: 12_000 } }, 'bad'],
    ['frozen', { freezes: { ...freezes, by_scope: { ...freezes.by_scope, system: 1 } } }, 'bad'],
    ['Party 2 is down', { parties: withDown(2) }, 'warn'],
    ['Parties 1 and 3 are down', { parties: withDown(1, 3) }, 'bad'],
    [
      'Party 1 has an older release',
      { parties: withFirst({ head: { ...first.head!, newest_rules_version: 2 } }) },
      'warn',
    ],
    ['Replica a of party 1', { parties: withFirst({ replicas: [failing] }) }, 'warn'],
    [
      'left out',
      { pairs: EXAMPLE.pairs.map((pair) => ({ ...pair, breaker: 'open' as const })) },
      'warn',
    ],
    ['too long: 1', { stuck_requests: EXAMPLE.stuck_requests }, 'bad'],
    ['4 requests', { signing: { ...signing, failed: 4 } }, 'warn'],
    ['no prices', { prices: { ...EXAMPLE.prices, state: 'unavailable' } }, 'warn'],
    ['at its limit', { gateway: { ...gateway, event_loop_use: 0.95 } }, 'warn'],
    [
      'wait for the database',
      { gateway: { ...gateway, database_connections: { open: 4, idle: 0, waiting: 2 } } },
      'warn',
    ],
  ])('%s', (words, change, mood) => {
    const [found] = findingsOf({ ...HEALTHY, ...change });
    expect(found?.what).toContain(words);
    expect(found?.mood).toBe(mood);
    expect(
      found?.runbooks.filter((name) => !existsSync(`docs/how-to/runbooks/${name}.md`)),
    ).toEqual([]);
    expect(found?.runbooks).not.toEqual([]);
  });

  describe('of alarms', () => {
    const [alarm] = EXAMPLE.alarms as [Figures['alarms'][number]];
    const told = (change: Partial<Figures>) => findingsOf({ ...HEALTHY, ...change });

    it('is the party that is accused, of all that it is accused of, and where it runs', () => {
      const other = {
        ...alarm,
        kind: 'forged_result' as const,
        parties: [1, 2],
        what_to_do: 'Look.',
      };
      expect(told({ alarms: [alarm, other] })).toEqual([
        {
          mood: 'bad',
          what: 'Party 2 is accused: party misbehaved, forged result.',
          whatToDo: `${alarm.what_to_do} Look. ${placeOf(2)}`,
          runbooks: ['party_misbehaved', 'forged_result'],
        },
        {
          mood: 'bad',
          what: 'Party 1 is accused: forged result.',
          whatToDo: `Look. ${placeOf(1)}`,
          runbooks: ['forged_result'],
        },
      ]);
    });

    it('is told once, where the party is down as well', () => {
      const [first, ...others] = told({ alarms: [alarm], parties: withDown(2) });
      expect(first?.what).toBe(
        'Party 2 is accused: party misbehaved. No replica of it is heard either.',
      );
      expect(others).toEqual([]);
      const elsewhere = told({ alarms: [alarm], parties: withDown(3) });
      expect(elsewhere.map(({ what }) => what)).toEqual([
        'Party 2 is accused: party misbehaved.',
        'Party 3 is down.',
      ]);
    });

    it('names nobody where nobody is accused, and no host that is not known', () => {
      const [found] = told({ alarms: [{ ...alarm, parties: [] }] });
      expect(found?.what).toBe('There is an alarm: party misbehaved.');
      const unheard = parties.map((one) => ({ ...one, replicas: [] }));
      expect(told({ alarms: [alarm], parties: unheard })[0]?.whatToDo).toContain(
        'No replica of party 2 is heard now',
      );
    });

    function placeOf(party: number): string {
      const { replicas } = parties.find((one) => one.party === party)!;
      return `Party ${party} runs as “${replicas[0]!.name}”.`;
    }
  });

  it('leaves a ledger alone that is at work', () => {
    expect(findingsOf({ ...HEALTHY, ledger: { ...ledger, pending: 3, oldest_ms: 900 } })).toEqual(
      [],
    );
  });

  it('begins with the worst', () => {
    const figures = { ...HEALTHY, parties: withDown(2), ledger: { ...ledger, is_stopped: true } };
    expect(findingsOf(figures).map(({ mood }) => mood)).toEqual(['bad', 'warn']);
    const later = { ...EXAMPLE, alarms: [], parties: withDown(2) };
    expect(findingsOf(later).map(({ mood }) => mood)).toEqual(['bad', 'warn']);
  });
});
