/**
 * The recorded ledgers of release zero, folded again by today's code: whoever changes what an entry means sees it here before
 * a running vault does. Each was recorded once, and is never recorded anew: a release that judges otherwise adds a version of
 * the rules.
 */
import { describe, expect, it } from '@jest/globals';
import { PARTY_NUMBERS } from '@countersign/core/parties.js';
import { isAddressOf } from '../support/address-forms.ts';
import { createFold } from '@countersign/vault/ledger/fold.js';
import { UnknownRulesError } from '@countersign/vault/ledger/ledger-errors.js';
import { LEDGER_OPERATIONS } from '@countersign/vault/operations/ledger-operations.js';
import { SIGNING_HOLDS } from '@countersign/vault/operations/signing-holds.js';
import { CONDITIONS } from '@countersign/api/conditions/conditions.js';
import { statedBy } from '@countersign/api/conditions/compared-conditions.js';
import { tellAddressBookStory } from '../support/address-book-story.ts';
import { tellAllowedAddressesStory } from '../support/allowed-addresses-story.ts';
import { tellOidcPeopleStory } from '../support/oidc-people-story.ts';
import { testSecret } from '../support/ledger-builder.ts';
import { recordLedger } from '../support/record-ledger.ts';
import {
  ADDRESS_BOOK_FILE,
  ALLOWED_ADDRESSES_FILE,
  OIDC_PEOPLE_FILE,
  readRecordedLedger,
  RECORDED_FILE,
  recordedRows,
  refold,
  SUCCESSION_FILE,
  UNREADABLE_FILE,
  verdictOf,
} from '../support/recorded-rows.ts';
import { tellSuccessionStory } from '../support/succession-story.ts';
import { tellReleaseZeroStory } from '../support/release-zero-story.ts';

const STORIES = [
  { file: RECORDED_FILE, tellStory: tellReleaseZeroStory },
  { file: SUCCESSION_FILE, tellStory: tellSuccessionStory },
  { file: ADDRESS_BOOK_FILE, tellStory: tellAddressBookStory },
  { file: ALLOWED_ADDRESSES_FILE, tellStory: tellAllowedAddressesStory },
  { file: OIDC_PEOPLE_FILE, tellStory: tellOidcPeopleStory },
];
if (process.env['RECORD_LEDGER'] === '1') {
  for (const { file, tellStory } of STORIES) recordLedger(file, tellStory);
}

const ledgers = STORIES.map(({ file, tellStory }) => {
  const { rows, keys } = recordedRows(file);
  const recorded = readRecordedLedger(file);
  return {
    name: file.pathname.split('/').at(-1)!,
    tellStory,
    recorded,
    rows,
    keys,
    ...foldOnce(rows, keys),
  };
});
const { outcomes: zeroOutcomes, state } = ledgers[0]!;
const outcomes = ledgers.flatMap((one) => one.outcomes);

function foldOnce(...given: Parameters<typeof refold>) {
  const { rows: refolded, outcomes: ends, state: last } = refold(...given);
  return { refolded, outcomes: ends, state: last };
}

const sorted = (values: Iterable<string>) => [...new Set(values)].toSorted();

describe.each(ledgers)('the recorded ledger $name', (ledger) => {
  it('is judged as it was, and comes to the recorded states after every row', () => {
    expect(ledger.refolded).toEqual(ledger.recorded.entries);
  });

  it('told anew is accepted and refused alike', () => {
    const told = ledger.tellStory().outcomes.map(verdictOf);
    expect(told).toEqual(ledger.outcomes.map(verdictOf));
  });

  it('comes to the same in pages of any size', () => {
    for (const size of [7, ledger.rows.length]) {
      const fold = createFold({ keys: ledger.keys });
      for (let at = 0; at < ledger.rows.length; at += size) {
        fold.advance(ledger.rows.slice(at, at + size));
      }
      expect(fold.view.state).toEqual(ledger.state);
    }
  });
});

describe('the recorded ledgers hold', () => {
  it('every operation, signatures that wait included, accepted', () => {
    const accepted = new Set(
      outcomes.flatMap(({ operation, refusal }) => (refusal === undefined ? [operation?.id] : [])),
    );
    const all = [...LEDGER_OPERATIONS, ...SIGNING_HOLDS].map(({ id }) => id);
    expect(all.filter((id) => !accepted.has(id))).toEqual([]);
  });

  it('every kind of entry, accepted and refused', () => {
    const kinds = [
      ...['evidence', 'attestation', 'key-refusal', 'recipient', 'evidence-key'],
      ...['evidence-key-withdrawal', 'countersignature', 'acknowledgement', 'anchor'],
      ...['successor', 'refresh'],
    ];
    const of = (isRefused: boolean) =>
      sorted(
        outcomes.flatMap(({ kind, refusal }) =>
          (refusal !== undefined) === isRefused ? [kind] : [],
        ),
      );
    expect(of(false)).toEqual([...kinds, 'genesis'].toSorted());
    expect(of(true)).toEqual([...kinds, 'unreadable'].toSorted());
  });

  it('every kind of refusal that a request can come to', () => {
    expect(sorted(outcomes.flatMap(({ refusal }) => refusal?.refused ?? []))).toEqual([
      'forbidden',
      'invalid_inputs',
      'not_found',
      'parse_error',
      'resource_conflict',
      'resource_not_found',
      'unauthorized',
    ]);
  });

  it('every end of what waits', () => {
    const held = [...state.pendingRequests.rows.values()];
    const endsOf = (isSigning: boolean) =>
      sorted(
        held.flatMap(({ status, signing }) =>
          (signing !== undefined) === isSigning ? [status] : [],
        ),
      );
    expect(endsOf(false)).toEqual(['applied', 'cancelled', 'expired', 'failed', 'rejected']);
    expect(endsOf(true)).toEqual(['cancelled', 'expired', 'rejected', 'released', 'waiting']);
  });

  it('an unfreezing that took effect, and one that a later freeze made void', () => {
    const thaws = [...state.pendingRequests.rows.values()].flatMap(
      ({ unfreezes, status, reason }) => (unfreezes === undefined ? [] : [[status, reason]]),
    );
    expect(thaws).toEqual(
      expect.arrayContaining([
        ['failed', 'it was frozen after this was asked for'],
        ['applied', null],
      ]),
    );
  });

  it('a change that was stopped in time, though the statements for that came late', () => {
    const stopped = [...state.pendingRequests.rows.values()].filter(
      ({ status, dueAt, endedAt }) =>
        status === 'cancelled' && dueAt !== null && endedAt !== null && endedAt > dueAt,
    );
    expect(stopped).toHaveLength(1);
  });

  it('every condition of a signing policy', () => {
    const stated = ledgers
      .flatMap((ledger) => [...ledger.state.signingPolicies.rows.values()])
      .flatMap(({ rules }) => rules)
      .flatMap(({ when }) => statedBy(when))
      .map(({ name }) => name);
    expect(sorted(stated)).toEqual(CONDITIONS.map(({ name }) => name).toSorted());
  });

  it('what every pair of parties judged, and clocks that went back', () => {
    const pairs = zeroOutcomes.flatMap(({ judgedBy }) =>
      judgedBy === undefined
        ? []
        : [
            judgedBy.countersignatures
              .map(({ party }) => party)
              .toSorted((a, b) => a - b)
              .join(),
          ],
    );
    expect(sorted(pairs)).toEqual(['1,2', '1,3', '2,3']);
    const times = zeroOutcomes.filter(({ judgedBy }) => judgedBy !== undefined).map(({ at }) => at);
    expect(times).not.toEqual(times.toSorted((a, b) => a - b));
  });

  it('keys of every type and custody, that came to every end', () => {
    const made = [...state.keys.rows.values()];
    const of = (field: 'type' | 'custody' | 'status') => sorted(made.map((key) => key[field]));
    expect(of('type')).toEqual(['ed25519', 'hmac', 'rsa']);
    expect(of('custody')).toEqual(['mpc', 'mpc_imported', 'split']);
    expect(of('status')).toEqual(['active', 'destroyed', 'disabled', 'failed', 'generating']);
    // nothing sealed is left once a key is complete or failed
    expect(made.filter(({ sealedParts }) => sealedParts.length > 0)).toEqual([]);
  });

  it('a wallet of every family, each with its address', () => {
    const wallets = [...state.wallets.rows.values()];
    expect(sorted(wallets.map(({ networkFamily }) => networkFamily))).toEqual([
      ...['aptos', 'near', 'solana', 'stellar', 'sui'],
    ]);
    for (const { networkFamily, address } of wallets) {
      expect(isAddressOf(networkFamily, address)).toBe(true);
    }
  });

  it('destroyed keys that belong to no security group', () => {
    const members = [...state.securityGroups.rows.values()].flatMap((group) => group.members);
    for (const { id, status } of state.keys.rows.values()) {
      if (status !== 'destroyed') continue;
      expect(members.map((member) => member.id)).not.toContain(id);
      expect(state.securityGroups.indexes.byMember.has(id)).toBe(false);
    }
  });

  it('the parties whose keys are published with it', () => {
    expect(ledgers[0]!.recorded.evidence_key).toBe(testSecret('evidence key').toString('base64'));
    expect(state.parties.map(({ party }) => party)).toEqual([...PARTY_NUMBERS]);
  });
});

it('a ledger that was made before release zero is not read: the node says so in one sentence', () => {
  const old = recordedRows(UNREADABLE_FILE);
  const fold = () => createFold({ keys: old.keys }).advance(old.rows);
  expect(fold).toThrow(UnknownRulesError);
  expect(fold).toThrow('made before release zero is made anew');
});
