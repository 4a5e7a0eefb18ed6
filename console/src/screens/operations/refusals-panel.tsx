/** What was refused or failed, and why. */
import { DataTable, type Column } from '../../design/data-table.js';
import { Fact, Facts, Panel, Quiet } from '../../design/pieces.js';
import type { Figures } from './live-figures.js';

type Refusals = Figures['refusals'][number];

export function RefusalsPanel({ figures }: { readonly figures: Figures }) {
  const { refusals, authentication_faults: faults, too_often: tooOften, signing } = figures;
  return (
    <Panel title="Refused and failed">
      {refusals.length === 0 ? (
        <Quiet>Nothing was refused since this gateway was started.</Quiet>
      ) : (
        <DataTable
          caption="Refusals by reason"
          columns={columnsFor(signing.window_s)}
          rows={refusals}
          idOf={({ operation, reason }) => `${operation} ${reason}`}
        />
      )}
      <Facts>
        <Fact name="Not known (401)">{countWords(faults)}</Fact>
        <Fact name="Over a rate limit (504)">{countWords(tooOften)}</Fact>
      </Facts>
    </Panel>
  );
}

/** By what: `12 credential, 1 timestamp`. */
function countWords(counts: Readonly<Record<string, number>>): string {
  const some = Object.entries(counts).filter(([, count]) => count > 0);
  return some.map(([name, count]) => `${count} ${name}`).join(', ') || 'none';
}

const columnsFor = (seconds: number): readonly Column<Refusals>[] => [
  {
    title: 'Request',
    cell: ({ operation }) => <code>{operation}</code>,
    sortBy: ({ operation }) => operation,
  },
  { title: 'Why', cell: ({ reason }) => reason.replaceAll('_', ' ') },
  { title: `Last ${seconds} s`, cell: ({ count }) => count },
  { title: 'Since the start', cell: ({ total }) => total, sortBy: ({ total }) => total },
];
