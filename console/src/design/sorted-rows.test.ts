import { expect, it } from '@jest/globals';
import { inOrder, turned, type SortOrder, type SortValue } from './sorted-rows.js';

const sorted = (values: readonly SortValue[], isDown = false) =>
  inOrder(
    values.map((value) => ({ value })),
    ({ value }) => value,
    { isDown },
  ).map(({ value }) => value);

it.each([
  ['numbers by their size', [10, 9, 100], [9, 10, 100]],
  ['names by the numbers in them', ['Bot 10', 'Bot 9', 'Åse'], ['Åse', 'Bot 9', 'Bot 10']],
  ['what has no value last', [undefined, 2, undefined, 1], [1, 2, undefined, undefined]],
] as const)('puts %s', (_, given, wanted) => {
  expect(sorted(given)).toEqual(wanted);
});

it('puts what has no value last when it is turned, too', () => {
  expect(sorted([undefined, 1, 2], true)).toEqual([2, 1, undefined]);
});

it('leaves equal rows as the vault gave them, whichever way', () => {
  const rows = [
    { id: 1, by: 'a' },
    { id: 2, by: 'a' },
  ];
  for (const isDown of [false, true]) {
    expect(inOrder(rows, ({ by }) => by, { isDown }).map(({ id }) => id)).toEqual([1, 2]);
  }
});

it('turns up, down, and off', () => {
  const steps: (SortOrder | undefined)[] = [undefined];
  for (let presses = 0; presses < 3; presses++) steps.push(turned(steps.at(-1), 'Name'));
  expect(steps).toEqual([
    undefined,
    { title: 'Name', isDown: false },
    { title: 'Name', isDown: true },
    undefined,
  ]);
});
