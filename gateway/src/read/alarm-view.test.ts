import { generateKeyPairSync, sign } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { alarm } from '@countersign/api/alarm-schema.js';
import { alarmMessage, type AlarmStatement } from '@countersign/core/alarm-statement.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import { alarmView } from './alarm-view.js';

const GENESIS_HASH = 'ab'.repeat(32);
const pairs = PARTY_NUMBERS.map((party) => ({ party, ...generateKeyPairSync('ed25519') }));
const vault = {
  genesisHash: GENESIS_HASH,
  parties: pairs.map(({ party, publicKey }) => ({
    party,
    identityPublicKey: publicKey
      .export({ format: 'der', type: 'spki' })
      .subarray(-32)
      .toString('base64'),
    exchangePublicKey: '',
  })),
};

const statement: AlarmStatement = {
  id: '4d3c2b1a-0f9e-4d8c-9b7a-695847362514',
  accuser: 'party_1',
  kind: 'party_misbehaved',
  party: 2,
  at: 1_767_614_400_000,
  requestId: null,
  reason: 'partner-share',
  count: 1,
  evidence: Buffer.from('what was sent'),
  evidenceBytes: 13,
};

const signedBy = (party: PartyNumber, signed: AlarmStatement, genesisHash = GENESIS_HASH) =>
  sign(null, alarmMessage(signed, genesisHash), pairs[party - 1]!.privateKey);

describe('a row of the table of alarms', () => {
  it('is shown as its party signed it', () => {
    const signature = signedBy(1, statement);
    const view = alarmView({ statement, signature }, vault);
    expect(alarm.parse(view)).toEqual({
      id: statement.id,
      kind: 'party_misbehaved',
      at: '2026-01-05T12:00:00.000Z',
      accuser: 'party_1',
      party: 2,
      request_id: null,
      reason: 'partner-share',
      count: 1,
      evidence: Buffer.from('what was sent').toString('base64'),
      evidence_bytes: 13,
      signature: signature.toString('base64'),
      is_verified: true,
    });
  });

  it.each<[string, AlarmStatement, Buffer | null]>([
    ['nobody', statement, null],
    ['another party', statement, signedBy(2, statement)],
    ['its party for another vault', statement, signedBy(1, statement, 'cd'.repeat(32))],
    ['its party before it was changed', { ...statement, party: 3 }, signedBy(1, statement)],
    ['its party over other evidence', { ...statement, evidence: null }, signedBy(1, statement)],
    ['a key, and noise', statement, Buffer.alloc(64, 1)],
  ])('that was signed by %s is shown as not verified', (_what, shown, signature) => {
    const view = alarmView({ statement: shown, signature }, vault);
    expect(alarm.parse(view).is_verified).toBe(false);
  });

  it('of a gateway has nothing to verify', () => {
    const given = { ...statement, accuser: 'gateway' as const };
    expect(alarmView({ statement: given, signature: null }, vault).is_verified).toBeNull();
    expect(
      alarmView({ statement: given, signature: signedBy(1, given) }, vault).is_verified,
    ).toBeNull();
  });

  it('with a statement that this release does not have is shown as such, and still verified', () => {
    const later = { ...statement, kind: 'something_new' };
    const view = alarmView({ statement: later, signature: signedBy(1, later) }, vault);
    expect(alarm.parse(view)).toMatchObject({ kind: 'unknown', is_verified: true });
  });
});
