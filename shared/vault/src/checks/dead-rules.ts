/** Finds rules that could never decide anything: a slip of the pen, and refused before it is appended. */
import type { AmountBounds, Initiators, Rule } from '../state/state.js';
import { compareDecimals } from '@countersign/core/decimal.js';
import {
  boundsOf,
  classesOf,
  initiatorsOf,
  isSubset,
  operationsOf,
  SIZE_UNITS,
  speaksOfContent,
  statedConditions,
  statedSizes,
} from '../policy/rule-conditions.js';

/** Why this rule can never decide anything, or undefined. `earlier` are the enabled rules before it. */
export function findDeadRule(rule: Rule, earlier: readonly Rule[]): string | undefined {
  const { operations, networks } = rule.when;
  if (networks !== undefined && operations?.every((name) => name === 'raw_sign') === true) {
    return 'can never match: raw_sign has no network';
  }
  const impossible = findImpossibleVenueCondition(rule);
  if (impossible !== undefined) return impossible;
  if (!rule.enabled) return undefined;
  const shadow = earlier.find((other) => other.enabled && covers(other, rule));
  return shadow === undefined
    ? undefined
    : `can never match: the rule "${shadow.displayName}" before it decides every such request`;
}

/** Whether every request that `inner` matches is matched by `outer` too. */
function covers(outer: Rule, inner: Rule): boolean {
  if (outer.when.velocity !== undefined) return false; // beyond its limit others decide
  return (
    isSubset(operationsMatched(inner), operationsOf(outer)) &&
    initiatorsCover(initiatorsOf(outer), initiatorsOf(inner)) &&
    transactionConditionsCover(outer, inner) &&
    timeCovers(outer, inner) &&
    (outer.when.networks === undefined ||
      (inner.when.networks !== undefined && isSubset(inner.when.networks, outer.when.networks))) &&
    venueConditionsCover(outer, inner)
  );
}

/** Bytes as they are have no content that a rule could speak of. */
function operationsMatched(rule: Rule): readonly string[] {
  const operations = operationsOf(rule);
  return speaksOfContent(rule.when) ? operations.filter((name) => name !== 'raw_sign') : operations;
}

function initiatorsCover(outer: Initiators, inner: Initiators): boolean {
  if (outer === 'anyone') return true;
  return (
    inner !== 'anyone' &&
    isSubset(inner.userIds, outer.userIds) &&
    isSubset(inner.userGroupIds, outer.userGroupIds)
  );
}

/** What cannot be read is an error of whichever rule meets it first, so both must state the same conditions. */
function transactionConditionsCover(outer: Rule, inner: Rule): boolean {
  return (['assets', 'destinations'] as const).every((condition) => {
    const wide = outer.when[condition];
    const narrow = inner.when[condition];
    if (wide === undefined) return true;
    // all of the values on one side and any of them on the other: neither follows from the other
    return narrow !== undefined && readsAlike(outer, inner) && isSubset(narrow, wide);
  });
}

/** A rule that denies holds where any value meets it, every other one where all do. */
function readsAlike(one: Rule, other: Rule): boolean {
  return (one.then === 'deny') === (other.then === 'deny');
}

/** Windows are compared for nothing but being the same: a zone's clock is not the fold's to know. */
function timeCovers({ when: { time: wide } }: Rule, { when: { time: narrow } }: Rule): boolean {
  if (wide === undefined) return true;
  return (
    narrow !== undefined &&
    wide.timeZone === narrow.timeZone &&
    wide.from === narrow.from &&
    wide.to === narrow.to &&
    (wide.days === undefined || (narrow.days !== undefined && isSubset(narrow.days, wide.days)))
  );
}

/** Why no venue request can ever match, or undefined. */
export function findImpossibleVenueCondition({ when }: Rule): string | undefined {
  if (speaksOfContent(when) && when.operations?.includes('sign') === false) {
    return 'can never match: nothing is known of what raw_sign signs';
  }
  const stated = statedConditions(when);
  const ofVenuesAlone = stated.filter((condition) => condition !== 'destinations');
  const isVenueRule = when.operationClasses !== undefined || ofVenuesAlone.length > 0;
  if (!isVenueRule) return undefined;
  if (when.assets !== undefined) {
    return 'can never match: a venue request moves nothing on a network; name symbols';
  }
  if (when.networks !== undefined) return 'can never match: a venue request has no network';
  const { operationClasses } = when;
  const content = stated.find((condition) => condition !== 'endpoints');
  if (content !== undefined && operationClasses?.every((name) => name === 'session') === true) {
    return `can never match: a session carries no ${content}, and binds nothing that follows it`;
  }
  return undefined;
}

/** Whether the venue conditions of `outer` match whenever those of `inner` do. */
function venueConditionsCover(outer: Rule, inner: Rule): boolean {
  const lists = [
    [outer.when.venueIds, inner.when.venueIds],
    [outer.when.endpoints, inner.when.endpoints],
    [outer.when.symbols, inner.when.symbols],
    [outer.when.sides, inner.when.sides],
  ] as const;
  const stated = statedConditions(outer.when);
  if (outer.when.operationClasses !== undefined && inner.when.operationClasses === undefined) {
    return false; // the inner one speaks of transactions too
  }
  // a rule with networks speaks of transactions alone
  const speaksOfVenues = inner.when.networks === undefined;
  if (speaksOfVenues && !isSubset(classesOf(inner), classesOf(outer))) return false;
  // all of the values on one side and any of them on the other: neither follows from the other
  if (stated.length > 0 && !readsAlike(outer, inner)) return false;
  // a condition that cannot be evaluated decides by itself: both must meet the same ones in the same order
  const inInner = statedConditions(inner.when);
  if (!stated.every((condition, index) => condition === inInner[index])) return false;
  // a further unit of the inner one is one more way not to be evaluated
  const [wideSizes, narrowSizes] = [statedSizes(outer.when), statedSizes(inner.when)];
  if (wideSizes.length > 0 && wideSizes.length < narrowSizes.length) return false;
  return (
    lists.every(([wide, narrow]) => {
      if (wide === undefined) return true;
      return narrow !== undefined && isSubset(narrow, wide);
    }) &&
    SIZE_UNITS.every((unit) =>
      boundsCover(boundsOf(outer.when, unit), boundsOf(inner.when, unit)),
    ) &&
    boundsCover(outer.when.usdValue, inner.when.usdValue)
  );
}

function boundsCover(outer: AmountBounds | undefined, inner: AmountBounds | undefined): boolean {
  if (outer === undefined) return true;
  if (inner === undefined) return false;
  const { min: outerMin, max: outerMax } = outer;
  const { min, max } = inner;
  const minCovers =
    outerMin === undefined || (min !== undefined && compareDecimals(min, outerMin) >= 0);
  const maxCovers =
    outerMax === undefined || (max !== undefined && compareDecimals(max, outerMax) <= 0);
  return minCovers && maxCovers;
}
