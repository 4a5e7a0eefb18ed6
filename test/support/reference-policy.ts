/**
 * Signing policies once more, written from what is promised of them and from nothing of what decides in the product: no
 * function of the engine is used here. It is slow, and short enough to be read beside docs/reference/policies.md.
 */
import type { Rule } from '@countersign/vault/state/state.js';
import type { SigningFacts } from '@countersign/vault/policy/signing-policy.js';

type Answer = 'yes' | 'no' | 'cannot be told' | 'left to the parties';

/** A security group, and how the key comes to be in it. */
export interface ReferenceGroup {
  /** Of its policies, one behind the other. */
  readonly rules: readonly Rule[];
  readonly namesTheKey: boolean;
  /** Keys and wallets with all of these labels; absent: it selects nothing. */
  readonly selects?: {
    readonly types: readonly ('key' | 'wallet')[];
    readonly labels: Readonly<Record<string, string>>;
  };
}

export interface ReferenceDecision {
  readonly outcome: 'allow' | 'deny' | 'require_approvals';
  /** By id of each rule that applies and has a limit: how much of it the request would take. */
  readonly takes: ReadonlyMap<string, number>;
}

/** What is known of the key and of its limits. */
export interface KnownOfKey {
  readonly labels: Readonly<Record<string, string>>;
  /** Ids of rules whose limit has no room for the request. */
  readonly full: ReadonlySet<string>;
  /** The address book: the addresses of each list, by its id. */
  readonly lists: Readonly<Record<string, readonly string[]>>;
}

/** `groups`: all there are. */
export function referenceDecision(
  groups: readonly ReferenceGroup[],
  asked: SigningFacts,
  known: KnownOfKey,
): ReferenceDecision {
  const takes = new Map<string, number>();
  const said = groups
    .filter((group) => isIn(group, known.labels))
    .map(({ rules }) =>
      decides(
        rules.map((rule) => writtenOut(rule, known.lists)),
        asked,
        known.full,
        takes,
      ),
    );
  return { outcome: together(said), takes };
}

/** A rule that names lists says the same as one that states their addresses. */
function writtenOut(rule: Rule, lists: KnownOfKey['lists']): Rule {
  const { destinationLists, ...when } = rule.when;
  if (destinationLists === undefined) return rule;
  return {
    ...rule,
    when: { ...when, destinations: destinationLists.flatMap((id) => lists[id]!) },
  };
}

function isIn({ namesTheKey, selects }: ReferenceGroup, labels: KnownOfKey['labels']): boolean {
  if (namesTheKey) return true;
  if (selects === undefined || !selects.types.some((type) => type === 'key')) return false;
  return Object.keys(selects.labels).every((name) => labels[name] === selects.labels[name]);
}

type Said = ReferenceDecision['outcome'] | 'nothing';

function together(said: readonly Said[]): ReferenceDecision['outcome'] {
  if (said.includes('deny')) return 'deny';
  if (said.includes('require_approvals')) return 'require_approvals';
  return said.includes('allow') ? 'allow' : 'deny';
}

function decides(
  rules: readonly Rule[],
  asked: SigningFacts,
  full: ReadonlySet<string>,
  takes: Map<string, number>,
): Said {
  for (const rule of rules) {
    if (!rule.enabled) continue;
    const answer = applies(rule, asked);
    if (answer === 'cannot be told') return 'deny';
    // whoever has no prices denies nothing and counts nothing for want of them
    const says = typeof rule.then === 'string' ? rule.then : 'require_approvals';
    if (answer === 'left to the parties' && says !== 'deny') return says;
    if (answer !== 'yes') continue;
    const taken = takenOf(rule, asked);
    if (taken === 'cannot be told') return 'deny';
    if (taken === 'no' || (typeof taken === 'number' && !hasRoom(rule, asked, taken, full))) {
      continue;
    }
    if (typeof taken === 'number') takes.set(rule.id, taken);
    return says;
  }
  return 'nothing';
}

/** What waited for approvals takes nothing of a limit: where there is one, the next rule is asked. */
function hasRoom(
  { id, when: stated, then }: Rule,
  { waited }: SigningFacts,
  taken: number,
  full: ReadonlySet<string>,
): boolean {
  const isPassedOver = waited === true && then === 'allow';
  return taken <= Number(stated.velocity!.limit) && !full.has(id) && !isPassedOver;
}

/** How much the request takes of the rule's limit; `yes` for a rule without one. */
function takenOf({ when: stated }: Rule, asked: SigningFacts): Answer | number {
  const { velocity, assets } = stated;
  if (velocity === undefined) return 'yes';
  if (velocity.per === 'key' && asked.keyId === undefined) return 'cannot be told';
  if (velocity.per === 'wallet' && asked.walletId === undefined) return 'cannot be told';
  if (velocity.unit === 'count') return 1;
  if (velocity.unit === 'usd') return worthOf(asked);
  const { venue, transaction } = asked;
  if (transaction !== undefined) {
    return velocity.unit === 'amount' ? wholeCoinsMoved(assets, transaction) : 'no';
  }
  if (venue === undefined) return 'no';
  const counted = velocity.unit === 'amount' ? venue.amounts : venue.quoteAmounts;
  const others = velocity.unit === 'amount' ? venue.quoteAmounts : venue.amounts;
  if (venue.undecidable.includes('amount') || others.length + venue.contracts.length > 0) {
    return 'cannot be told';
  }
  return counted.length === 0 ? 'no' : counted.reduce((sum, each) => sum + Number(each), 0);
}

/** Every stated condition in turn; the first that is not met, or cannot be told, says what becomes of the rule. */
function applies(rule: Rule, asked: SigningFacts): Answer {
  const questions = [about, where, when, moved, done, carried, worth];
  for (const question of questions) {
    const answer = question(rule, asked);
    if (answer !== 'yes') return answer;
  }
  return 'yes';
}

const yes = (holds: boolean): Answer => (holds ? 'yes' : 'no');

function about({ when: { operations, initiators }, then }: Rule, asked: SigningFacts): Answer {
  const { id, userGroupIds } = asked.initiator;
  const isOperation =
    operations === undefined
      ? then === 'deny' || asked.operation === 'sign'
      : operations.some((one) => one === asked.operation);
  const isInitiator =
    initiators === undefined
      ? then === 'deny'
      : initiators === 'anyone' ||
        initiators.userIds.some((one) => one === id) ||
        initiators.userGroupIds.some((one) => userGroupIds.some((mine) => mine === one));
  return yes(isOperation && isInitiator);
}

function where({ when: { networks, venueIds } }: Rule, asked: SigningFacts): Answer {
  const isNetwork = networks === undefined || networks.some((one) => one === asked.networkId);
  const isVenue = venueIds === undefined || venueIds.some((one) => one === asked.venueId);
  return yes(isNetwork && isVenue);
}

/** Zones without summer time alone: an offset in hours says all of them. */
const HOURS_AHEAD: Readonly<Record<string, number>> = { UTC: 0, 'Asia/Tokyo': 9 };
const DAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'];

function when({ when: { time } }: Rule, { receivedAt }: SigningFacts): Answer {
  if (time === undefined) return 'yes';
  const ahead = HOURS_AHEAD[time.timeZone];
  if (ahead === undefined) return 'cannot be told';
  const local = new Date(receivedAt + ahead * 3_600_000);
  const minute = local.getUTCHours() * 60 + local.getUTCMinutes();
  const minutes = (text: string) => Number(text.slice(0, 2)) * 60 + Number(text.slice(3));
  const from = minutes(time.from ?? '00:00');
  const to = minutes(time.to ?? '24:00');
  const isDay = (day: number) => time.days === undefined || time.days.some((d) => d === DAYS[day]);
  const today = local.getUTCDay();
  // a window that begins today, or one of yesterday that has not ended
  const begun = isDay(today) && minute >= from && (to <= from || minute < to);
  const left = isDay((today + 6) % 7) && to <= from && minute < to;
  return yes(begun || left);
}

function moved(rule: Rule, asked: SigningFacts): Answer {
  const answer = movedWhatAndWhere(rule, asked);
  return answer === 'yes' ? movedHowMuch(rule, asked) : answer;
}

function movedHowMuch({ when: { assets, amount } }: Rule, { transaction }: SigningFacts): Answer {
  if (amount === undefined || transaction === undefined) return 'yes';
  const coins = wholeCoinsMoved(assets, transaction);
  return typeof coins === 'number' ? yes(isBetween(String(coins), amount)) : coins;
}

/** Of the one asset that the rule names: of several, or of none, there is no how much. */
function wholeCoinsMoved(
  assets: readonly string[] | undefined,
  { movements, unread }: NonNullable<SigningFacts['transaction']>,
): Answer | number {
  if (assets?.length !== 1) return 'no';
  if (unread !== undefined) return 'cannot be told';
  const those = movements.filter((one) => one.assets.includes(assets[0]!));
  if (those.length === 0) return 'no';
  const coin = those[0]!.assets.map((name) => COINS[name]).find((one) => one !== undefined);
  if (coin === undefined) return 'cannot be told';
  return those.reduce((sum, one) => sum + Number(one.amount), 0) / coin[1];
}

function movedWhatAndWhere(
  { when: { assets, destinations }, then }: Rule,
  asked: SigningFacts,
): Answer {
  if (assets === undefined && destinations === undefined) return 'yes';
  const { transaction, venue } = asked;
  if (transaction === undefined) return yes(assets === undefined && venue !== undefined);
  if (transaction.unread !== undefined) return 'cannot be told';
  const { movements } = transaction;
  const covers = (hits: readonly boolean[]) =>
    hits.length > 0 && (then === 'deny' ? hits.includes(true) : !hits.includes(false));
  if (assets !== undefined) {
    if (movements.some((one) => one.assets.length === 0)) return 'cannot be told';
    const hits = movements.map((one) => one.assets.some((name) => assets.some((a) => a === name)));
    if (!covers(hits)) return 'no';
  }
  if (destinations === undefined) return 'yes';
  return yes(covers(movements.map((one) => destinations.some((d) => d === one.destination))));
}

function done({ when: stated, then }: Rule, { venue }: SigningFacts): Answer {
  if (venue === undefined) return yes(stated.operationClasses === undefined);
  const silent = then === 'deny' ? undefined : (['read', 'cancel', 'trade'] as const);
  const classes: readonly string[] | undefined = stated.operationClasses ?? silent;
  return yes(classes === undefined || classes.some((one) => one === venue.operationClass));
}

function carried({ when: stated, then }: Rule, { venue, transaction }: SigningFacts): Answer {
  const { endpoints, symbols, sides, amount, quoteAmount, contracts, destinations } = stated;
  if (venue === undefined) {
    const ofVenues = [endpoints, symbols, sides, quoteAmount, contracts];
    const isStated = transaction === undefined && amount !== undefined;
    return yes(!isStated && ofVenues.every((one) => one === undefined));
  }
  const covers = (hits: readonly boolean[]) =>
    yes(hits.length > 0 && (then === 'deny' ? hits.includes(true) : !hits.includes(false)));
  const told = (name: 'symbols' | 'sides', answer: Answer): Answer =>
    venue.undecidable.includes(name) ? 'cannot be told' : answer;
  const isHidden =
    venue.destinations === undefined && ['withdraw', 'unknown'].includes(venue.operationClass);
  const sends = (venue.destinations ?? []).map((d) => destinations?.includes(d) === true);
  const answers: readonly (Answer | undefined)[] = [
    endpoints && covers(venue.endpoint === '' ? [] : [endpoints.includes(venue.endpoint)]),
    symbols && told('symbols', covers(venue.symbols.map((one) => symbols.includes(one)))),
    sides && told('sides', covers(venue.sides.map((one) => sides.includes(one)))),
    howMuch(stated, venue, covers),
    destinations && (isHidden ? 'cannot be told' : covers(sends)),
  ];
  return answers.find((answer) => answer !== undefined && answer !== 'yes') ?? 'yes';
}

/** One question in three units: whatever a request states, the rule must bound, or nobody can tell. */
function howMuch(
  { amount, quoteAmount, contracts, symbols }: Rule['when'],
  venue: NonNullable<SigningFacts['venue']>,
  covers: (hits: readonly boolean[]) => Answer,
): Answer | undefined {
  const units = [
    { bounds: amount, values: venue.amounts },
    { bounds: quoteAmount, values: venue.quoteAmounts },
    { bounds: contracts, values: venue.contracts },
  ];
  if (units.every(({ bounds }) => bounds === undefined)) return undefined;
  if (venue.undecidable.includes('amount')) return 'cannot be told';
  // a contract is worth something else in every market
  if (contracts !== undefined && symbols === undefined) return 'cannot be told';
  const hits: boolean[] = [];
  for (const { bounds, values } of units) {
    if (bounds === undefined && values.length > 0) return 'cannot be told';
    for (const value of values) hits.push(isBetween(value, bounds!));
  }
  return covers(hits);
}

/** Whole coins in smallest units, of all that the tests move and that has a price. */
const COINS: Readonly<Record<string, readonly [name: string, units: number]>> = {
  'solana-mainnet/sol': ['SOL', 1e9],
  'solana-mainnet/usdc': ['USDC', 1e6],
};

/** What is bought, sold or moved, each with the name of its asset; how much of what is not known is undefined. */
function movedCoins({
  transaction,
  venue,
}: SigningFacts): readonly (readonly [string, number] | undefined)[] {
  if (transaction !== undefined) {
    if (transaction.unread !== undefined) return [undefined];
    return transaction.movements.map(({ assets, amount }) => {
      const coin = assets.map((name) => COINS[name]).find((one) => one !== undefined);
      return coin && ([coin[0], Number(amount) / coin[1]] as const);
    });
  }
  if (venue === undefined || ['read', 'cancel', 'key_admin'].includes(venue.operationClass))
    return [];
  const { operationClass, symbols, amounts, quoteAmounts, sides, undecidable } = venue;
  const isKnown =
    venue.venueId === 'gate' &&
    ['trade', 'withdraw', 'transfer'].includes(operationClass) &&
    !undecidable.includes('amount') &&
    !undecidable.includes('symbols') &&
    venue.contracts.length === 0 &&
    symbols.length === 1 &&
    amounts.length + quoteAmounts.length > 0;
  if (!isKnown) return [undefined];
  const parts = symbols[0]!.split('_');
  const isCoin = operationClass !== 'trade';
  if (isCoin ? parts.length !== 1 : parts.length !== 2 || sides.length === 0) return [undefined];
  const [base, quote] = isCoin ? [parts[0]!, parts[0]!] : [parts[0]!, parts[1]!];
  const each = (asset: string) => (amount: string) => [asset, Number(amount)] as const;
  return [...amounts.map(each(base)), ...quoteAmounts.map(each(quote))];
}

function worth({ when: { usdValue, velocity } }: Rule, asked: SigningFacts): Answer {
  if (usdValue === undefined && velocity?.unit !== 'usd') return 'yes';
  const value = worthOf(asked);
  if (value === 'left to the parties' || usdValue === undefined) {
    return value === 'left to the parties' ? value : 'yes';
  }
  return typeof value === 'number' ? yes(isBetween(String(value), usdValue)) : value;
}

function worthOf(asked: SigningFacts): Answer | number {
  const coins = movedCoins(asked);
  if (coins.length === 0) return 'no';
  let sum = 0;
  let isUnpriced = false;
  for (const coin of coins) {
    if (coin === undefined) return 'cannot be told';
    const price = asked.prices?.priceOf(coin[0]);
    if (price === undefined || 'unpriced' in price) isUnpriced = true;
    else sum += coin[1] * Number(price.price);
  }
  if (!isUnpriced) return sum;
  return asked.prices?.isLeftToParties === true ? 'left to the parties' : 'cannot be told';
}

/** The amounts of these tests are small and exact as numbers. */
function isBetween(
  value: string,
  { min = '0', max = '1000000' }: { min?: string | undefined; max?: string | undefined },
) {
  return Number(value) >= Number(min) && Number(value) <= Number(max);
}
