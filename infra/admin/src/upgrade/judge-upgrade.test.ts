import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { PRESENCE_TTL_MS } from '@countersign/runtime/jobs/names.js';
import type { SpokenVersions } from '@countersign/runtime/jobs/protocol.js';
import { presenceEntry, presenceMessage, startReplica } from '@countersign/runtime/jobs/replica.js';
import type { LedgerView } from '@countersign/vault/ledger/fold.js';
import {
  judgeGateway,
  judgeMigrations,
  judgeParties,
  judgeRules,
  judgeSnapshot,
  stepsOf,
} from './judge-upgrade.js';

const NOW = 1_000_000;
const GENESIS = 'ab'.repeat(32);
const keys = [1, 2, 3].map(() => generateKeyPairSync('ed25519'));
const parties = keys.map(({ publicKey }, index) => ({
  party: index + 1,
  identityPublicKey: Buffer.from(
    String(publicKey.export({ format: 'jwk' }).x),
    'base64url',
  ).toString('base64'),
  exchangePublicKey: '',
}));
const view = { rules: 1, state: { parties, genesisHash: GENESIS } } as unknown as LedgerView;

function present(party: 1 | 2 | 3, spoken: SpokenVersions, signer: number = party, at = NOW) {
  const replica = startReplica(party, 'a');
  const message = presenceMessage(replica, true, GENESIS, spoken);
  const signature = sign(null, message, keys[signer - 1]!.privateKey);
  return presenceEntry(replica, at, true, signature, { spoken });
}

const judged = (spoken: SpokenVersions, ...entries: [string, string][]) =>
  judgeParties(Object.fromEntries(entries), view, spoken, NOW);

const ONE = { oldest: 1, newest: 1 };
const NEXT = { oldest: 1, newest: 2 };
const LATER = { oldest: 2, newest: 3 };

describe('the parties before an upgrade', () => {
  it('go on in the newest version that they and the release speak', () => {
    const findings = judged(NEXT, present(1, ONE), present(2, NEXT), present(3, NEXT));
    expect(findings.map(({ verdict }) => verdict)).toEqual(['ok', 'ok', 'ok']);
    expect(findings[0]!.says).toMatch(/1-1 .* 1-2: they will speak version 1/);
    expect(findings[1]!.says).toContain('will speak version 2');
  });

  it('are a fault where the release would not understand them', () => {
    const findings = judged(LATER, present(1, ONE), present(2, NEXT), present(3, NEXT));
    expect(findings.map(({ verdict }) => verdict)).toEqual(['fault', 'ok', 'ok']);
    expect(findings[0]!.advice).toContain('each release in between');
  });

  it('are away where nobody is, where another signed for them, and where their word is old', () => {
    const forged = present(2, NEXT, 1);
    const old = present(3, NEXT, 3, NOW - PRESENCE_TTL_MS);
    const findings = judged(NEXT, forged, old, ['1:a', 'nonsense']);
    expect(findings.map(({ about, verdict }) => `${about} ${verdict}`)).toEqual(
      [1, 2, 3].map((party) => `party ${party} warning`),
    );
  });
});

describe('a gateway before an upgrade', () => {
  it('tells its version', () => {
    expect(judgeGateway('u', 200, '{"version":"1.2.3"}', '1.3.0')).toMatchObject({
      verdict: 'ok',
      says: 'it runs "1.2.3", and this is "1.3.0"',
    });
  });

  it.each([
    [404, '{"err_type":"not_found"}'],
    [502, '{"version":"1.2.3"}'],
    [200, '{}'],
    [200, '{"version":1}'],
    [200, 'null'],
    [200, '<html>'],
  ])('is not well where it answers %i with %s', (status, body) => {
    expect(judgeGateway('u', status, body, '1.3.0')).toMatchObject({
      verdict: 'warning',
      says: `it does not tell its version (status ${status})`,
    });
  });
});

describe('an upgrade', () => {
  it('adds the migrations of one release at a time', () => {
    expect(judgeMigrations({ has: ['A1'], missing: [] }).verdict).toBe('ok');
    expect(judgeMigrations({ has: ['A1'], missing: ['B2'] }).verdict).toBe('ok');
    expect(judgeMigrations({ has: ['A1'], missing: ['B2', 'C3'] }).verdict).toBe('fault');
    expect(stepsOf({ has: ['A1'], missing: ['B2'] })[1]).toContain('countersign migrate');
    expect(stepsOf({ has: ['A1'], missing: [] }).join()).not.toContain('migrate');
  });

  it('says what becomes of the rules, and of a snapshot', () => {
    expect(judgeRules(view, 1).says).toContain('stays so');
    expect(judgeRules(view, 2).says).toContain('no way back');
    expect(judgeSnapshot('p', 'x', 'x').says).toContain('starts from it');
    expect(judgeSnapshot('p', 'x', 'y').says).toContain('drops it');
    expect(judgeSnapshot('p', undefined, 'y').says).toContain('no snapshot');
  });
});
