/**
 * A recorded ledger, judged again by today's code: whoever changes what an entry means sees it here
 * before a running vault does. It is never recorded anew.
 */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createEvidenceKeys } from '@countersign/core/evidence-key.js';
import { stateHash } from '@countersign/vault/state/state-hash.js';
import type { VaultState } from '@countersign/vault/state/state.js';
import { isAddressOf } from '@countersign/chains/addresses.js';
import { LEDGER_OPERATIONS } from '@countersign/vault/operations/ledger-operations.js';
import { toBase64 } from '@countersign/core/bytes.js';
import { tellGoldenStory } from '../support/golden-ledger.ts';
import { privateKeyOfSeed, rawPublicKey, rechain } from '../support/ledger-builder.ts';
import { judgeAsRecorded, type RecordedEntry } from '../support/recorded-ledger.ts';

interface GoldenEntry {
  /** Base64. */
  readonly body: string;
  readonly hash: string;
  readonly operation: string | null;
  readonly refused: string | null;
  /** Of the state after this entry. */
  readonly state_hash: string;
}

interface GoldenLedger {
  readonly about: string;
  /** Base64. */
  readonly evidence_key: string;
  /** Ed25519 seeds, base64. */
  readonly seeds: Readonly<Record<'administrator' | 'party_1' | 'party_2' | 'party_3', string>>;
  readonly entries: readonly GoldenEntry[];
}

const FILE = new URL('../vectors/golden-ledger.json', import.meta.url);

let golden: GoldenLedger;
let judged: RecordedEntry[];
let state: VaultState;

beforeAll(() => {
  golden = JSON.parse(readFileSync(FILE, 'utf8')) as GoldenLedger;
  const keys = createEvidenceKeys([Buffer.from(golden.evidence_key, 'base64')]);
  const rows = rechain(golden.entries.map((entry) => Buffer.from(entry.body, 'base64')));
  judged = judgeAsRecorded(rows, keys);
  state = judged.at(-1)!.state;
});

describe('the golden ledger', () => {
  it('has the hash of every entry as recorded', () => {
    const hashes = judged.map(({ row }) => Buffer.from(row.hash).toString('hex'));
    expect(hashes).toEqual(golden.entries.map((entry) => entry.hash));
  });

  it('accepts and refuses what it did when it was recorded', () => {
    const verdicts = judged.map(({ operation, refusal }) => ({
      operation: operation?.id ?? null,
      refused: refusal?.refused ?? null,
    }));
    expect(verdicts).toEqual(
      golden.entries.map(({ operation, refused }) => ({ operation, refused })),
    );
  });

  it('comes to the recorded state after every entry', () => {
    expect(judged.map((entry) => stateHash(entry.state))).toEqual(
      golden.entries.map((entry) => entry.state_hash),
    );
  });

  it('holds every operation of the ledger, accepted', () => {
    const accepted = new Set(
      golden.entries.flatMap(({ operation, refused }) => (refused === null ? [operation] : [])),
    );
    const missing = LEDGER_OPERATIONS.filter(({ id }) => !accepted.has(id)).map(({ id }) => id);
    expect(missing).toEqual([]);
  });

  it('holds every kind of entry and many kinds of refusal', () => {
    expect(new Set(judged.map(({ kind }) => kind))).toEqual(
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
      const verdicts = judged.filter((entry) => entry.kind === kind);
      expect(verdicts.some(({ refusal }) => refusal === undefined)).toBe(true);
      expect(verdicts.some(({ refusal }) => refusal !== undefined)).toBe(true);
    }
    const refusals = new Set(judged.flatMap(({ refusal }) => refusal?.refused ?? []));
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
  expect(told).toEqual(golden.entries.map((entry) => entry.refused));
});
