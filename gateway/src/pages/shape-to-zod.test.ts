/**
 * The shapes that judge, held against the description that is made from them, which zod reads by itself: each value that a
 * shape takes, its description takes, and without checks beyond the form (`refine`) both take the same values.
 */
import { expect, it } from '@jest/globals';
import { API_OPERATIONS } from '@countersign/api/operations/api-operations.js';
import type { ApiOperation } from '@countersign/api/operation.js';
import { Shape, type AnyShape } from '@countersign/core/shapes.js';
import { randomOf, type Random } from '../../../test/support/seeded-random.js';
import { valueFor, withFault, type ValueSource } from '../../../test/support/shape-values.js';
import { toZod } from './shape-to-zod.js';

const VALUES = 150;

/** What a name says is left to the shape. */
const sourceOf = (random: Random): ValueSource => ({ random, named: () => undefined });

function hasChecks({ making: { from, call, args } }: AnyShape): boolean {
  if (call === 'refine' || call === 'transform') return true;
  return (from !== undefined && hasChecks(from)) || args.some(holdsChecks);
}

function holdsChecks(arg: unknown): boolean {
  if (arg instanceof Shape) return hasChecks(arg as AnyShape);
  if (arg instanceof RegExp || typeof arg !== 'object' || arg === null) return false;
  return Object.values(arg).some(holdsChecks);
}

interface Tally {
  taken: number;
  refused: number;
}

/** What the shape and its description disagree about. */
function differences(shape: AnyShape, random: Random, tally: Tally): unknown[] {
  const schema = toZod(shape);
  const isForm = !hasChecks(shape);
  return Array.from({ length: VALUES }, () => {
    const good = valueFor(shape, sourceOf(random));
    const value = random.chance(0.5) ? good : withFault(good, random);
    const isTaken = 'value' in shape.read(value);
    const isDescribed = schema.safeParse(value).success;
    tally[isTaken ? 'taken' : 'refused'] += 1;
    return isTaken === isDescribed || (!isTaken && !isForm)
      ? undefined
      : { value, isTaken, isDescribed };
  }).filter((difference) => difference !== undefined);
}

const operations: readonly ApiOperation[] = Object.values(API_OPERATIONS);

it('a body is read as it is described', () => {
  const random = randomOf(26);
  const tally = { taken: 0, refused: 0 };
  const found = operations.flatMap(({ id, body }) =>
    body === undefined
      ? []
      : differences(body, random, tally).map((one) => ({ id, ...(one as object) })),
  );
  expect(found.slice(0, 3)).toEqual([]);
  // both were put to the test
  expect(Math.min(tally.taken, tally.refused)).toBeGreaterThan(operations.length);
});
