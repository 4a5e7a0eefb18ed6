import { existsSync } from 'node:fs';
import { expect, it } from '@jest/globals';
import { ALARM_KINDS } from '@countersign/core/alarm-statement.js';
import { spanWords, TROUBLE_RUNBOOKS, troubleWords, type Trouble } from './trouble-words.js';

const RUNBOOKS = new URL('../../../../docs/how-to/runbooks/', import.meta.url);
const FROM = '2026-11-22T03:12:00.000Z';
const away: Trouble = { kind: 'party_away', parties: [2], from: FROM, to: null };

it('says who was down', () => {
  expect(troubleWords(away)).toBe('Party 2 was down');
  expect(troubleWords({ ...away, kind: 'pair_left_out', parties: [1, 3] })).toBe(
    'Parties 1 and 3 were left out as a pair',
  );
});

it('says what was frozen', () => {
  const frozen = { ...away, kind: 'frozen' as const, parties: [] };
  expect(troubleWords({ ...frozen, scope: 'venue' })).toBe('A venue was frozen');
  expect(troubleWords({ ...frozen, scope: 'system' })).toBe('The whole system was frozen');
});

it('says from when to when, or that it goes on', () => {
  expect(spanWords({ from: FROM, to: '2026-11-22T03:15:20.000Z' })).toMatch(/12.*–.*15/);
  expect(spanWords(away)).toMatch(/ – now$/);
});

it.each([...ALARM_KINDS, 'unknown', ...Object.values(TROUBLE_RUNBOOKS)])(
  '%s has a runbook',
  (name) => {
    expect(existsSync(new URL(`${name}.md`, RUNBOOKS))).toBe(true);
  },
);
