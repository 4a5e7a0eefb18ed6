/**
 * A recorded ledger, folded again by today's code: whoever changes what an entry means sees it here
 * before a running vault does. It is never recorded anew.
 */
import { beforeAll, describe, expect, it } from '@jest/globals';
import { toBase64 } from '@countersign/core/bytes.js';
import { openEvidence } from '@countersign/core/evidence.js';
import type { Refusal } from '@countersign/core/errors.js';
import { CATALOGUES } from '@countersign/vault/catalogues/todays-catalogues.js';
import { decodeEntryBody } from '@countersign/vault/ledger/entry.js';
import type { VaultState } from '@countersign/vault/state/state.js';
import { isAddressOf } from '@countersign/chains/addresses.js';
import { checkRequest } from '@countersign/vault/operations/check-request.js';
import { FIRST_OPERATIONS } from '@countersign/vault/operations/first-rules/first-operations.js';
import { tellGoldenStory } from '../support/golden-ledger.ts';
import {
  readGoldenLedger,
  REFUSED_BY_CATALOGUE,
  replayGoldenLedger,
  type GoldenLedger,
  type GoldenReplay,
  type GoldenStep,
} from '../support/golden-replay.ts';
import { privateKeyOfSeed, rawPublicKey } from '../support/ledger-builder.ts';
import type { RecordedEntry } from '../support/recorded-ledger.ts';

let golden: GoldenLedger;
let replay: GoldenReplay;
let outcomes: RecordedEntry[];
let state: VaultState;

beforeAll(() => {
  golden = readGoldenLedger();
  replay = replayGoldenLedger(golden);
  outcomes = replay.steps.map(({ outcome }) => outcome);
  state = replay.state;
});

/** What a gateway of today says to the request before it appends it. */
function checkOf({ row, before }: GoldenStep): Refusal | undefined {
  const { content } = decodeEntryBody(row.body);
  if (content.kind !== 'evidence') throw new Error(`entry ${row.seq} is no request`);
  return checkRequest(before, openEvidence(content.evidence, replay.keys), CATALOGUES);
}

describe('the golden ledger', () => {
  it('has the hash of every entry as recorded', () => {
    const hashes = replay.steps.map(({ row }) => Buffer.from(row.hash).toString('hex'));
    expect(hashes).toEqual(golden.entries.map((entry) => entry.hash));
  });

  it('accepts and refuses what it did when it was recorded', () => {
    const verdicts = replay.steps.map((step) => {
      const { operation, refusal } = step.outcome;
      const verdict = REFUSED_BY_CATALOGUE.has(step.row.seq) ? checkOf(step) : refusal;
      return { operation: operation?.id ?? null, refused: verdict?.refused ?? null };
    });
    expect(verdicts).toEqual(
      golden.entries.map(({ operation, refused }) => ({ operation, refused })),
    );
  });

  it('holds some that catalogues and lint refused, and the fold alone does not', () => {
    expect(REFUSED_BY_CATALOGUE.size).toBe(9);
    for (const step of replay.steps.filter(({ row }) => REFUSED_BY_CATALOGUE.has(row.seq))) {
      expect([step.row.seq, step.outcome.refusal]).toEqual([step.row.seq, undefined]);
    }
  });

  it('comes to the recorded state after every entry', () => {
    expect(replay.steps.map((step) => step.stateHash)).toEqual(
      golden.entries.map((entry) => entry.state_hash),
    );
  });

  it('holds every operation that its rules know, accepted', () => {
    const accepted = new Set(
      golden.entries.flatMap(({ operation, refused }) => (refused === null ? [operation] : [])),
    );
    const missing = FIRST_OPERATIONS.filter(({ id }) => !accepted.has(id)).map(({ id }) => id);
    expect(missing).toEqual([]);
  });

  it('holds every kind of entry and many kinds of refusal', () => {
    expect(new Set(outcomes.map((outcome) => outcome.kind))).toEqual(
      new Set([
        'genesis',
        'evidence',
        'attestation',
        'key-refusal',
        'recipient',
        'evidence-key',
        'unreadable',
      ]),
    );
    for (const kind of ['attestation', 'key-refusal', 'recipient', 'evidence-key']) {
      const verdicts = outcomes.filter((outcome) => outcome.kind === kind);
      expect(verdicts.some(({ refusal }) => refusal === undefined)).toBe(true);
      expect(verdicts.some(({ refusal }) => refusal !== undefined)).toBe(true);
    }
    const refusals = new Set(outcomes.flatMap(({ refusal }) => refusal?.refused ?? []));
    expect([...refusals].toSorted()).toEqual([
      'forbidden',
      'invalid_inputs',
      'not_found',
      'parse_error',
      'resource_conflict',
      'resource_not_found',
      'unauthorized',
    ]);
  });

  it('ends with an address for every wallet of which three parties told the same', () => {
    const wallets = [...state.wallets.rows.values()];
    expect(wallets).toHaveLength(4);
    for (const { networkFamily, address } of wallets) {
      expect(isAddressOf(networkFamily, address)).toBe(true);
    }
  });
});

describe('the keys of the golden ledger', () => {
  const keys = () => [...state.keys.rows.values()];

  it('are of every type and custody, and came to every end', () => {
    const of = (field: 'type' | 'custody' | 'status') =>
      [...new Set(keys().map((key) => key[field]))].toSorted();
    expect(of('type')).toEqual(['ed25519', 'hmac', 'rsa']);
    expect(of('custody')).toEqual(['mpc', 'mpc_imported', 'split']);
    expect(of('status')).toEqual(['active', 'destroyed', 'disabled', 'failed', 'generating']);
  });

  it('have nothing sealed left once they are complete or failed', () => {
    expect(keys().filter(({ encoding }) => encoding !== null)).toHaveLength(3);
    for (const { sealedParts } of keys()) expect(sealedParts).toEqual([]);
  });

  it('that are destroyed belong to no security group', () => {
    const members = [...state.securityGroups.rows.values()].flatMap((group) => group.members);
    for (const { id, status } of keys()) {
      if (status !== 'destroyed') continue;
      expect(members.map((member) => member.id)).not.toContain(id);
      expect(state.securityGroups.indexes.byMember.has(id)).toBe(false);
    }
  });
});

it('the recorded rules state every venue condition', () => {
  const stated = [...state.signingPolicies.rows.values()]
    .flatMap((policy) => policy.rules)
    .flatMap((rule) => Object.keys(rule.when));
  expect(new Set(stated)).toEqual(
    new Set([
      'initiators',
      'networks',
      'operations',
      'venueIds',
      'operationClasses',
      'endpoints',
      'symbols',
      'sides',
      'amount',
    ]),
  );
});

it('the recorded seeds are those of the recorded genesis', () => {
  const publicKey = (seed: string) =>
    toBase64(rawPublicKey(privateKeyOfSeed(Buffer.from(seed, 'base64'))));
  const { administrator, ...parties } = golden.seeds;
  expect(state.parties.map((party) => party.identityPublicKey)).toEqual(
    Object.values(parties).map(publicKey),
  );
  const [firstUser] = state.users.rows.values();
  expect(firstUser).toMatchObject({ publicKey: publicKey(administrator) });
});

it('the same story told anew is accepted and refused alike', () => {
  const told = tellGoldenStory()
    .outcomes.filter(({ kind }) => kind !== 'countersignature')
    .map(({ refusal }) => refusal?.refused ?? null);
  // a gateway of today does not append what the catalogues refuse
  const appended = golden.entries.filter((_, index) => !REFUSED_BY_CATALOGUE.has(index + 1));
  expect(told).toEqual(appended.map((entry) => entry.refused));
});
