/**
 * What a signing decision costs in a vault with ten policies and in one with 10,000 policies and 100,000 members: all that a
 * gateway or party does with a request whose caller it knows, a limit order, short of its signature. Of processor time, by
 * turns within one process, and the median of the turns' ratios: what else the machine does falls on both alike. `ROUNDS`
 * turns.
 */
import { expect, it } from '@jest/globals';
import { isRefusal } from '@countersign/core/errors.js';
import { sha256, uuidFromHash } from '@countersign/core/hash.js';
import { evaluateSigning } from '@countersign/vault/operations/signing-operation.js';
import { findSigningOperation } from '@countersign/vault/operations/signing-operations.js';
import {
  EMPTY_STATE,
  type Key,
  type Rule,
  type VaultState,
} from '@countersign/vault/state/state.js';
import { insertRow } from '@countersign/vault/state/table.js';

const ROUNDS = Number(process.env['ROUNDS'] ?? 200);
const DECISIONS_A_ROUND = 500;
/** Keys that sign, each by a policy of its own: as many in either vault. */
const SIGNERS = 10;
/** How much more the large vault may cost. */
const AT_MOST = 1.1;
const STAMPS = { createdAt: 0, createdBy: 'x', lastUpdatedAt: 0, lastUpdatedBy: 'x' };

const initiator = {
  ...STAMPS,
  id: 'bot',
  type: 'machine' as const,
  displayName: 'bot',
  description: null,
  userGroupIds: ['traders'],
  frozen: null,
  apiKeySha256: '',
  publicKey: '',
  publicKeySince: 0,
  expiresAt: null,
};

const idOf = (kind: string, index: number) => uuidFromHash(sha256(kind, `${index}`));

const keyOf = (index: number): Key => ({
  ...STAMPS,
  id: idOf('key', index),
  displayName: `key ${index}`,
  description: null,
  type: 'hmac',
  scheme: null,
  custody: 'split',
  modulusBits: null,
  encoding: 'utf8',
  venueId: 'binance',
  venueApiKey: 'k'.repeat(64),
  labels: {},
  status: 'active',
  failure: null,
  frozen: null,
  version: 1,
  publicKey: '',
  session: `session ${index}`,
  attestations: [],
  sealedParts: [],
  walletId: null,
});

const rule = (id: string, fields: Partial<Rule> = {}): Rule => ({
  id,
  displayName: id,
  enabled: true,
  when: {
    initiators: { userIds: [], userGroupIds: ['others', 'traders'] },
    operationClasses: ['trade'],
    symbols: ['BTCUSDT'],
    amount: { max: '0.5' },
  },
  then: 'allow',
  ...fields,
});

/** As many groups as policies, the members spread over them; every group alike. */
function vaultOf(policies: number, members: number): VaultState {
  let { securityGroups, signingPolicies, keys } = EMPTY_STATE;
  const each = members / policies;
  for (let index = 0; index < members; index++) keys = insertRow(keys, keyOf(index));
  for (let index = 0; index < policies; index++) {
    const [id, groupId] = [idOf('policy', index), idOf('group', index)];
    const denied = rule(`deny ${index}`, { then: 'deny', when: { symbols: ['DOGEUSDT'] } });
    signingPolicies = insertRow(signingPolicies, {
      ...STAMPS,
      id,
      displayName: id,
      securityGroupId: groupId,
      version: 1,
      rules: [denied, rule(`allow ${index}`)],
    });
    securityGroups = insertRow(securityGroups, {
      ...STAMPS,
      id: groupId,
      displayName: groupId,
      vaultIds: null,
      members: Array.from({ length: each }, (_, n) => ({
        id: idOf('key', index * each + n),
        type: 'key' as const,
      })),
      signingPolicyIds: [id],
    });
  }
  return { ...EMPTY_STATE, keys, securityGroups, signingPolicies };
}

interface Measured {
  readonly state: VaultState;
  /** Paths at which their signatures are asked for. */
  readonly paths: readonly string[];
}

const measured = (policies: number, members: number): Measured => ({
  state: vaultOf(policies, members),
  paths: Array.from(
    { length: SIGNERS },
    (_, index) => `/v1/keys/${idOf('key', index * (members / SIGNERS))}/sign`,
  ),
});

const ORDER = {
  symbol: 'BTCUSDT',
  side: 'BUY',
  type: 'LIMIT',
  timeInForce: 'GTC',
  quantity: '0.25',
  price: '60000',
};
const EVIDENCE = {
  query: '',
  body: Buffer.from(
    JSON.stringify({
      venue_request: {
        method: 'POST',
        path: '/api/v3/order',
        body: new URLSearchParams(ORDER).toString(),
        channel: 'rest',
      },
    }),
  ),
};
const ASKING = { initiator, receivedAt: 0 };

/** Microseconds of processor time for a round of decisions. */
function costOfRound({ state, paths }: Measured, see: (state: VaultState) => VaultState): number {
  const begun = process.cpuUsage();
  for (let done = 0; done < DECISIONS_A_ROUND; done += paths.length) {
    const seen = see(state);
    for (const path of paths) {
      const decided = evaluateSigning(seen, findSigningOperation('POST', path)!, EVIDENCE, ASKING);
      if (isRefusal(decided)) throw new Error(decided.message);
    }
  }
  const { user, system } = process.cpuUsage(begun);
  return user + system;
}

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!;

const small = measured(10, 100);
const large = measured(10_000, 100_000);

/** The median ratio of what the large vault costs to what the small one does. */
function ratioOf(see: (state: VaultState) => VaultState): number {
  const cost = (vault: Measured) => costOfRound(vault, see);
  const rounds = Array.from({ length: ROUNDS }, (_, round) => {
    // who comes second finds the processor's memory full of the other's
    if (round % 2 === 0) return { ofSmall: cost(small), ofLarge: cost(large) };
    return { ofLarge: cost(large), ofSmall: cost(small) };
  }).slice(ROUNDS / 10);
  const us = (costs: readonly number[]) => (median(costs) / DECISIONS_A_ROUND).toFixed(2);
  const ratio = median(rounds.map(({ ofSmall, ofLarge }) => ofLarge / ofSmall));
  process.stdout.write(
    `a decision: ${us(rounds.map(({ ofSmall }) => ofSmall))} us with ten policies, ` +
      `${us(rounds.map(({ ofLarge }) => ofLarge))} us with 10,000; ratio ${ratio.toFixed(3)}\n`,
  );
  return ratio;
}

it('a decision costs at most a tenth more with 10,000 policies and 100,000 members', () => {
  expect(ratioOf((state) => state)).toBeLessThanOrEqual(AT_MOST);
}, 300_000);

it('nor does one after a change of the groups, for which everything is looked up anew', () => {
  // what was looked up goes with the table
  const changed = ({ securityGroups, ...state }: VaultState) => ({
    ...state,
    securityGroups: { ...securityGroups },
  });
  expect(ratioOf(changed)).toBeLessThanOrEqual(AT_MOST);
}, 300_000);
