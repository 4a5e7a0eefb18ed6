/** Random policies and requests of few words, so that they meet often: the same for the same seed. */
import type {
  Key,
  MachineUser,
  Rule,
  RuleConditions,
  VaultState,
} from '@countersign/vault/state/state.js';
import { addressListsOf, EMPTY_STATE } from '@countersign/vault/state/state.js';
import { insertRow } from '@countersign/vault/state/table.js';
import {
  decideSigning,
  type SigningDecision,
  type SigningFacts,
} from '@countersign/vault/policy/signing-policy.js';
import { OPERATION_CLASSES } from '@countersign/core/vocabulary.js';
import { VELOCITY_SCOPES, VELOCITY_UNITS, WEEKDAYS } from '@countersign/core/vocabulary.js';
import { referenceDecision, type ReferenceGroup } from './reference-policy.ts';
import { randomOf, type Random } from './seeded-random.ts';

const STAMPS = { createdAt: 0, createdBy: 'x', lastUpdatedAt: 0, lastUpdatedBy: 'x' };
const MEMBER = 'member';
const WEEK_MS = 7 * 86_400_000;

const WORDS = {
  networks: ['solana-mainnet', 'n2'],
  assets: ['solana-mainnet/sol', 'solana-mainnet/usdc', 'n2/a'],
  destinations: ['d1', 'd2', 'd3'],
  venueIds: ['v1', 'gate'],
  endpoints: ['POST /a', 'POST /b'],
  symbols: ['S_T', 'S_U', 'T'],
  sides: ['buy', 'sell'],
} as const;
/** The address book: by the id of each list. */
const LISTS: Readonly<Record<string, readonly string[]>> = {
  l1: ['d1'],
  l2: ['d2', 'd3'],
  l3: ['d3'],
};
const AMOUNTS = ['0', '0.5', '1', '2.5', '10'];
const PRICES: Readonly<Record<string, string>> = { S: '2', T: '0.5', SOL: '4', USDC: '1' };
const SMALLEST_UNITS = [0n, 1_000_000n, 2_000_000_000n];
const TIMES = ['00:00', '06:30', '12:00', '18:45'];

function randomRule(random: Random, id: string): Rule {
  const { chance, pick, some } = random;
  const then = chance(0.65) ? 'allow' : 'deny';
  // every other rule says little, so that requests get as far as the limits
  const share = chance(0.2) ? 1 : 0.2;
  const maybe = <Value>(of: number, value: () => Value) =>
    chance(of * share) ? value() : undefined;
  const when: RuleConditions = {
    operations: maybe(0.3, () => some(['sign', 'raw_sign'] as const)),
    initiators: maybe(0.85 / share, () => {
      if (chance(0.5)) return 'anyone' as const;
      return { userIds: chance(0.5) ? some(['u1', 'u2']) : [], userGroupIds: some(['g1', 'g2']) };
    }),
    networks: maybe(0.1, () => some(WORDS.networks)),
    assets: maybe(0.12, () => some(WORDS.assets)),
    destinations: maybe(0.15, () => some(WORDS.destinations)),
    venueIds: maybe(0.1, () => some(WORDS.venueIds)),
    operationClasses: maybe(0.35 / share, () => some(OPERATION_CLASSES)),
    endpoints: maybe(0.1, () => some(WORDS.endpoints)),
    symbols: maybe(0.15, () => some(WORDS.symbols)),
    sides: maybe(0.1, () => some(WORDS.sides)),
    amount: maybe(0.15, () => bounds(random)),
    quoteAmount: maybe(0.1, () => bounds(random)),
    contracts: maybe(0.08, () => bounds(random)),
    usdValue: maybe(0.15, () => bounds(random)),
    time: maybe(0.12, () => ({
      ...(chance(0.5) && { days: some(WEEKDAYS) }),
      ...(chance(0.6) && { from: pick(TIMES) }),
      ...(chance(0.6) && { to: pick(TIMES) }),
      timeZone: pick(['UTC', 'Asia/Tokyo', 'UTC', 'Asia/Tokyo', 'Europe/Atlantis']),
    })),
    velocity: maybe(0.2 / share, () => ({
      limit: pick(AMOUNTS.slice(1)),
      unit: pick([...VELOCITY_UNITS, 'count', 'count', 'count']),
      windowS: 60,
      per: pick([...VELOCITY_SCOPES, 'initiator', 'group']),
    })),
  };
  const requireApprovals = {
    quorum: 1,
    approvers: { userIds: [], userGroupIds: [] },
    expiresInMs: 1,
  };
  // behind rules that allow, within limits too
  const asks = then === 'allow' && /-[135]$/.test(id) && chance(0.8);
  const outcome = asks ? { requireApprovals } : then;
  return { id, displayName: id, enabled: chance(0.9), when: byLists(when, id), then: outcome };
}

/** Every other rule goes by the address book, where it says something of destinations. */
function byLists({ destinations, ...when }: RuleConditions, id: string): RuleConditions {
  if (destinations === undefined || !/[02468]$/.test(id)) return { destinations, ...when };
  return { ...when, destinationLists: destinations.map((name) => name.replace('d', 'l')) };
}

function bounds({ chance, pick }: Random) {
  return {
    ...(chance(0.4) && { min: pick(AMOUNTS) }),
    ...(chance(0.8) && { max: pick(AMOUNTS) }),
  };
}

function initiatorOf(random: Random): MachineUser {
  return {
    ...STAMPS,
    id: random.pick(['u1', 'u2', 'u3']),
    type: 'machine',
    displayName: 'user',
    description: null,
    userGroupIds: random.chance(0.6) ? random.some(['g1', 'g2', 'g3']) : [],
    frozen: null,
    apiKeySha256: '',
    publicKey: '',
    publicKeySince: 0,
    expiresAt: null,
  };
}

function randomRequest(random: Random): SigningFacts {
  const { chance, pick, next } = random;
  const receivedAt = Math.floor(next() * WEEK_MS) + Date.UTC(2026, 10, 22);
  const asked = {
    initiator: initiatorOf(random),
    receivedAt,
    prices: randomPrices(random),
    keyId: MEMBER,
    walletId: chance(0.3) ? 'wallet' : undefined,
    waited: chance(0.1) ? chance(0.8) : undefined,
  };
  const kind = pick(['venue', 'venue', 'venue', 'transaction', 'transaction', 'raw'] as const);
  if (kind === 'raw') {
    const venueId = chance(0.5) ? pick(WORDS.venueIds) : undefined;
    return { ...asked, operation: 'raw_sign', venueId };
  }
  if (kind === 'transaction') {
    return { ...asked, operation: 'sign', networkId: pick(WORDS.networks), ...transaction(random) };
  }
  const venueId = pick(WORDS.venueIds);
  return { ...asked, operation: 'sign', venueId, venue: venueFacts(random, venueId) };
}

/** Now and then none, or none of one asset; now and then those of somebody who does not decide. */
function randomPrices({ chance, pick }: Random): SigningFacts['prices'] {
  if (chance(0.1)) return undefined;
  const missing = chance(0.4) ? pick(Object.keys(PRICES)) : undefined;
  return {
    ...(chance(0.6) && { isLeftToParties: chance(0.8) }),
    priceOf(asset) {
      const price = asset === missing ? undefined : PRICES[asset];
      return price === undefined ? { unpriced: 'none' } : { asset, price, at: 0, relay: 'one' };
    },
  };
}

function transaction({ chance, pick, some }: Random): Pick<SigningFacts, 'transaction'> {
  const count = pick([0, 1, 1, 1, 2]);
  const movements = Array.from({ length: count }, () => ({
    assets: chance(0.1) ? [] : some(WORDS.assets).slice(0, 2),
    destination: pick(WORDS.destinations),
    amount: pick(SMALLEST_UNITS),
  }));
  return { transaction: { movements, unread: chance(0.1) ? 'something else' : undefined } };
}

function venueFacts({ chance, pick, some }: Random, venueId: string) {
  const operationClass = pick(OPERATION_CLASSES);
  const isSession = operationClass === 'session';
  const maybe = <Item>(items: readonly Item[]) => (!isSession && chance(0.7) ? some(items) : []);
  return {
    venueId,
    operationClass,
    endpoint: chance(0.9) ? pick(WORDS.endpoints) : '',
    symbols: maybe(WORDS.symbols),
    sides: maybe(WORDS.sides),
    amounts: maybe(AMOUNTS),
    quoteAmounts: chance(0.3) ? maybe(AMOUNTS) : [],
    contracts: chance(0.2) ? maybe(AMOUNTS) : [],
    undecidable: chance(0.15) ? some(['symbols', 'sides', 'amount'] as const) : [],
    binds: [],
    ...(operationClass === 'withdraw' && chance(0.7) && { destinations: some(WORDS.destinations) }),
  };
}

const LABELS = ['desk', 'kind'] as const;
const VALUES = ['a', 'b'] as const;

function randomLabels({ some, pick }: Random): Record<string, string> {
  return Object.fromEntries(some(LABELS).map((name) => [name, pick(VALUES)]));
}

function randomGroup(random: Random, group: number): ReferenceGroup {
  const { chance, pick, some } = random;
  const count = pick([1, 2, 4, 6]);
  const rules = Array.from({ length: count }, (_, rule) => randomRule(random, `r${group}-${rule}`));
  const types = some(['key', 'key', 'wallet'] as const);
  return {
    rules,
    namesTheKey: chance(0.85),
    ...(chance(0.5) && { selects: { types, labels: randomLabels(random) } }),
  };
}

function keyWith(labels: Key['labels']): Key {
  return {
    ...STAMPS,
    id: MEMBER,
    displayName: MEMBER,
    description: null,
    type: 'ed25519',
    scheme: null,
    custody: 'mpc',
    modulusBits: null,
    encoding: null,
    venueId: null,
    venueApiKey: null,
    labels,
    status: 'active',
    failure: null,
    frozen: null,
    version: 1,
    publicKey: '',
    session: '',
    attestations: [],
    sealedParts: [],
    walletId: null,
  };
}

/** The groups' rules, each group's cut into policies, and the key with its labels. */
function stateOf(
  random: Random,
  groups: readonly ReferenceGroup[],
  labels: Key['labels'],
): VaultState {
  let { securityGroups, signingPolicies } = EMPTY_STATE;
  for (const [index, { rules, namesTheKey, selects }] of groups.entries()) {
    const cut = Math.floor(random.next() * (rules.length + 1));
    const parts = [rules.slice(0, cut), rules.slice(cut)];
    const ids = parts.map((_, part) => `p${index}-${part}`);
    const id = `g${index}`;
    for (const [part, own] of parts.entries()) {
      const names = { id: ids[part]!, displayName: ids[part]!, securityGroupId: id };
      signingPolicies = insertRow(signingPolicies, { ...STAMPS, ...names, version: 1, rules: own });
    }
    securityGroups = insertRow(securityGroups, {
      ...STAMPS,
      id,
      displayName: id,
      vaultIds: null,
      members: namesTheKey ? [{ id: MEMBER, type: 'key' }] : [],
      ...(selects !== undefined && { selector: selects }),
      signingPolicyIds: ids,
    });
  }
  const keys = insertRow(EMPTY_STATE.keys, keyWith(labels));
  return { ...EMPTY_STATE, securityGroups, signingPolicies, keys, addressLists: addressBook() };
}

function addressBook(): NonNullable<VaultState['addressLists']> {
  return Object.entries(LISTS).reduce((table, [id, addresses]) => {
    const entries = addresses.map((address) => ({ address, displayName: address }));
    const list = { ...STAMPS, id, displayName: id, description: null, version: 1, entries };
    return insertRow(table, list);
  }, addressListsOf(EMPTY_STATE));
}

const REQUESTS_PER_WORLD = 10;

export interface Comparison {
  readonly allowed: number;
  readonly denied: number;
  /** For want of approvals. */
  readonly asked: number;
  /** Because a limit had no room, and a rule behind it asks. */
  readonly askedBeyondLimit: number;
  /** What the two disagree about, with the seed of its world. */
  readonly differences: readonly unknown[];
}

/** Engine and reference over this many worlds, ten requests each, and each request again with every limit full that it met. */
export function compareWithReference(firstSeed: number, worlds: number): Comparison {
  const seen = { allow: 0, deny: 0, require_approvals: 0 };
  let askedBeyondLimit = 0;
  const differences: unknown[] = [];
  for (let seed = firstSeed; seed < firstSeed + worlds; seed++) {
    const random = randomOf(seed);
    const groups = Array.from({ length: random.pick([0, 1, 1, 1, 1, 2, 2]) }, (_, group) =>
      randomGroup(random, group),
    );
    const labels = randomLabels(random);
    const state = stateOf(random, groups, labels);
    for (let index = 0; index < REQUESTS_PER_WORLD; index++) {
      const asked = randomRequest(random);
      const { decisions, difference } = compareOne(state, groups, labels, asked);
      const [first, ...beyond] = decisions;
      seen[first!.outcome] += 1;
      if (beyond.at(-1)?.outcome === 'require_approvals') askedBeyondLimit += 1;
      if (difference !== undefined) differences.push({ seed, index, groups, asked, difference });
    }
  }
  const { allow: allowed, deny: denied, require_approvals: asked } = seen;
  return { allowed, denied, asked, askedBeyondLimit, differences };
}

/** As parties find limits full, one after the other, until no rule with a limit decides. */
function compareOne(
  state: VaultState,
  groups: readonly ReferenceGroup[],
  labels: Key['labels'],
  asked: SigningFacts,
): { readonly decisions: readonly SigningDecision[]; readonly difference?: unknown } {
  const reached = new Map<string, { left: string }>();
  const full = new Set<string>();
  const decisions: SigningDecision[] = [];
  for (;;) {
    const decision = decideSigning(state, MEMBER, asked, reached);
    decisions.push(decision);
    const expected = referenceDecision(groups, asked, { labels, full, lists: LISTS });
    if (!isSame(decision, expected, groups)) {
      return { decisions, difference: { decision, expected, full: [...full] } };
    }
    const { claim, policy } = decision;
    if (claim === undefined) return { decisions };
    reached.set(claim.bucket, { left: '0' });
    full.add(policy!.ruleId!);
  }
}

/** What it takes of a limit included: a rule that decides takes of its own, if it has one. */
function isSame(
  { outcome, claim, policy }: SigningDecision,
  { outcome: expected, takes }: ReturnType<typeof referenceDecision>,
  groups: readonly ReferenceGroup[],
): boolean {
  if (outcome !== expected) return false;
  if (outcome === 'deny') return claim === undefined;
  const taken = takes.get(policy!.ruleId!);
  if (claim === undefined || taken === undefined) return (claim ?? taken) === undefined;
  const rules = groups.flatMap((group) => group.rules);
  const limit = rules.find(({ id }) => id === policy!.ruleId)?.when.velocity;
  return (
    Number(claim.amount) === taken && claim.limit === limit?.limit && claim.windowMs === 60_000
  );
}
