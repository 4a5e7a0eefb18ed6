/** What the ledger promises, over what happened in a run. */
import { TIMESTAMP_WINDOW_MS } from '@countersign/vault/authentication/authenticate.js';
import { createFold } from '@countersign/vault/ledger/fold.js';
import { AGREEMENT_MS } from '@countersign/vault/ledger/party-statement.js';
import { modelRules } from './dropped-rules.js';
import type { Happening, Judged, SpokenStatement } from './happenings.js';
import { areOnOnePath, isUpTo, rowsUpTo, type Place } from './lying-store.js';
import { BOT } from './model-vault.js';
import type { World } from './model-world.js';

/** One line for each promise that was broken. */
export function brokenPromises(world: World): string[] {
  const { liar } = world.options;
  const { judged, faults } = world.happened;
  return [
    ...new Set([
      ...faults.map(({ message }) => `a node stopped: ${message}`),
      ...judged.flatMap((one) => faultsOfJudging(world, one)),
      ...(liar === undefined ? faultsOfHistory(world) : []),
      ...(liar === undefined ? faultsOfFreezing(world) : []),
      ...faultsOfObedience(world),
      ...faultsOfSight(world),
    ]),
  ];
}

/** Nothing takes effect that nobody may do, at a time that no honest clock showed, or by rules that nobody named. */
function faultsOfJudging({ happened, options }: World, { place, request, outcome }: Judged) {
  if (outcome.refusal !== undefined) return [];
  if (request.name === 'make a vault, without the right') return ['a right was forged'];
  // the honest statement is one of two that agree: the other may be a minute away
  const slack = options.liar === undefined ? 0 : AGREEMENT_MS;
  const { rules, countersignatures } = outcome.judgedBy!;
  const judgedAt = Math.max(...countersignatures.map(({ at }) => at));
  const isGood = ({ head, at, rules: named }: SpokenStatement) =>
    isUpTo(place, head) &&
    named === rules &&
    Math.abs(at - judgedAt) <= AGREEMENT_MS &&
    (request.isFreeze || Math.abs(at - request.stamp) <= TIMESTAMP_WINDOW_MS + slack);
  const isTimely = request.isFreeze || Math.abs(judgedAt - request.stamp) <= TIMESTAMP_WINDOW_MS;
  return isTimely && happened.statements.some(isGood)
    ? []
    : [`'${request.name}' took effect without an honest statement for it in time`];
}

/** All that was signed or answered rests on one history. */
function faultsOfHistory({ happened }: World): string[] {
  const places = happened.inOrder.flatMap(placesOf);
  const distinct = [...new Set(places)];
  const isOne = distinct.every((a, at) => distinct.slice(at + 1).every((b) => areOnOnePath(a, b)));
  return isOne ? [] : ['what was signed and answered rests on two histories'];
}

function placesOf(happening: Happening): Place[] {
  switch (happening.kind) {
    case 'answered':
      return [happening.place];
    case 'contributed':
      return [happening.named];
    case 'signed':
      return [happening.named];
    case 'obeyed':
      return [];
  }
}

/** Once a freeze is answered no signature for its scope leaves a party, unless somebody has undone it since. */
function faultsOfFreezing(world: World): string[] {
  const { inOrder } = world.happened;
  return inOrder.flatMap((answer, at) => {
    if (answer.kind !== 'answered' || !answer.request.stops) return [];
    const isBroken = inOrder
      .slice(at)
      .some(
        (later) =>
          later.kind === 'signed' &&
          ![later.lead, later.partner].some(
            (one) => one && isUndone(world, answer.place, one.head),
          ),
      );
    return isBroken ? [`'${answer.request.name}' was answered, and the bot signed`] : [];
  });
}

/** What a party says of itself holds whoever else lies: nothing leaves it any more that a freeze forbids. */
function faultsOfObedience(world: World): string[] {
  const { inOrder } = world.happened;
  return inOrder.flatMap((said, at) => {
    if (said.kind !== 'obeyed') return [];
    const freezes = effectiveFreezes(world, said.head);
    const heads = inOrder.slice(at).flatMap((later) => headOfDeed(later, said.party));
    const isBroken = heads.some((head) => freezes.some((freeze) => !isUndone(world, freeze, head)));
    return isBroken ? [`party ${said.party} said that it obeys a freeze, and signed`] : [];
  });
}

/**
 * A freeze is obeyed from the moment it is seen, while two parties have not judged it, too. Whether the officer may freeze
 * can itself wait for that: runs in which somebody freezes the officer are left out.
 */
function faultsOfSight({ happened, requests }: World): string[] {
  if (requests.some(({ name }) => name.includes('officer'))) return [];
  const heads = happened.inOrder.flatMap((one) => (one.kind === 'contributed' ? [one] : []));
  const isBroken = heads.some(({ head }) => isFrozenAtSight(requests, head));
  return isBroken ? ['a party saw a freeze, and signed'] : [];
}

/** Up to a place a freeze stands and nothing that could undo it. */
function isFrozenAtSight(requests: World['requests'], head: Place): boolean {
  const names = rowsUpTo(head).flatMap(
    ({ body }) => requests.find((request) => request.body === body)?.name ?? [],
  );
  const has = (name: string) => names.some((one) => one === name);
  return (
    (has('freeze the bot') && !has('unfreeze the bot')) ||
    (has('freeze the system') && !has('unfreeze the system'))
  );
}

/** How far a party that gives something away had folded the log. A part that it gave is its lead's from then on. */
function headOfDeed(happening: Happening, party: number): Place[] {
  if (happening.kind === 'contributed') return happening.party === party ? [happening.head] : [];
  if (happening.kind !== 'signed') return [];
  return happening.lead?.party === party ? [happening.lead.head] : [];
}

/** Freezes of the bot up to a place that two parties have judged good. */
function effectiveFreezes({ happened }: World, head: Place): Place[] {
  const good = happened.judged.filter(
    ({ place, request, outcome }) =>
      request.stops && outcome.refusal === undefined && isUpTo(place, head),
  );
  return [...new Set(good.map(({ place }) => place))];
}

/** Whether up to a place a freeze has come into force and is no more. */
function isUndone({ options }: World, freeze: Place, head: Place): boolean {
  if (!isUpTo(freeze, head)) return false;
  const fold = createFold({ keys: options.vault.keys, rules: modelRules() });
  const outcomes = fold.advance(rowsUpTo(head));
  const { state } = fold.view;
  const isJudged = outcomes.some(({ seq }) => seq === freeze.row.seq);
  return isJudged && state.systemFreeze === null && state.users.rows.get(BOT.id)?.frozen === null;
}
