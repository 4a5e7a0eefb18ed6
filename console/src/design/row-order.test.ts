import { expect, it } from '@jest/globals';
import { constructTable } from '@tanstack/react-table';
import { storeReactivityBindings } from '@tanstack/table-core/store-reactivity-bindings';
import { orderedColumns, ROW_ORDER } from './row-order.js';

interface Line {
  readonly id: number;
  readonly by: string | number | undefined;
}

/** Which a page has of React. */
const reactivity = { coreReactivityFeature: storeReactivityBindings() };
const withReactivity: typeof ROW_ORDER = { ...ROW_ORDER, ...reactivity };

function tableOf(data: readonly Line[]) {
  return constructTable({
    features: withReactivity,
    columns: orderedColumns<Line>([{ title: 'By', sortBy: ({ by }) => by }, { title: 'Id' }]),
    data,
  });
}

const lines = (values: readonly Line['by'][]) => values.map((by, id) => ({ id, by }));

function sorted(data: readonly Line[], desc = false) {
  const table = tableOf(data);
  table.setSorting([{ id: 'By', desc }]);
  return table.getRowModel().rows.map(({ original }) => original);
}

it.each([
  ['numbers by their size', [10, 9, 100], [9, 10, 100]],
  ['names by the numbers in them', ['Bot 10', 'Bot 9', 'Åse'], ['Åse', 'Bot 9', 'Bot 10']],
  ['what has no value last', [undefined, 2, undefined, 1], [1, 2, undefined, undefined]],
] as const)('puts %s', (_, given, wanted) => {
  expect(sorted(lines(given)).map(({ by }) => by)).toEqual(wanted);
});

it('puts what has no value last when it is turned, too', () => {
  expect(sorted(lines([undefined, 1, 2]), true).map(({ by }) => by)).toEqual([2, 1, undefined]);
});

it('leaves equal rows as the vault gave them, whichever way', () => {
  for (const isDown of [false, true]) {
    expect(sorted(lines(['a', 'a']), isDown).map(({ id }) => id)).toEqual([0, 1]);
  }
});

it('turns up, down, and off', () => {
  const table = tableOf(lines(['b', 'a']));
  const column = table.getColumn('By')!;
  const steps = [column.getIsSorted()];
  for (let presses = 0; presses < 3; presses++) {
    column.toggleSorting();
    steps.push(column.getIsSorted());
  }
  expect(steps).toEqual([false, 'asc', 'desc', false]);
});

it('offers no order by a column that says none', () => {
  expect(
    tableOf([])
      .getAllColumns()
      .map((column) => column.getCanSort()),
  ).toEqual([true, false]);
});
