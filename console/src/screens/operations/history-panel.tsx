/** The last 24 hours, as this gateway saw them: charts, and what changed when. */
import { lazy, Suspense, useMemo, useState } from 'react';
import type { ChartLine } from '../../design/time-chart.js';
import { Choice } from '../../design/choice.js';
import { DataTable, type Column } from '../../design/data-table.js';
import { durationWords } from '../../design/duration-words.js';
import { Panel, Quiet, Time } from '../../design/pieces.js';
import { Fault } from '../../vault/fault.js';
import { useRead } from '../../vault/vault-queries.js';
import { columnsOf, perSecond, type SystemHistory } from './chart-columns.js';
import styles from './operations.module.css';
import { RunbookLink } from './runbook-link.js';
import { spanWords, TROUBLE_RUNBOOKS, troubleWords, type Trouble } from './trouble-words.js';

const TimeChart = lazy(() => import('../../design/time-chart.js'));

const LOOK_MS = 15_000;
const HOUR_S = 3_600;
const RANGES = [
  [HOUR_S, 'The last hour'],
  [6 * HOUR_S, 'The last 6 hours'],
  [24 * HOUR_S, 'The last 24 hours'],
] as const;

/** `now`: of the newest figures, RFC 3339. */
export function HistoryPanels({ now }: { readonly now: string }) {
  const { data: history, error } = useRead('get-system-history', {}, { everyMs: LOOK_MS });
  if (history === undefined) {
    return error === null ? <Quiet>Loading what was …</Quiet> : <Fault error={error} />;
  }
  return (
    <>
      <ChangesPanel history={history} />
      <Charts history={history} now={now} />
    </>
  );
}

interface WithHistory {
  readonly history: SystemHistory;
}

function Charts({ history, now }: WithHistory & { readonly now: string }) {
  const [range, setRange] = useState<number>(HOUR_S);
  return (
    <Panel title="Over time">
      <div className={styles.range}>
        <Choice
          label="Range"
          options={Object.fromEntries(RANGES)}
          value={String(range)}
          onChange={(seconds) => setRange(Number(seconds))}
        />
        <Quiet>
          By the minute, as gateway <code>{history.gateway_id.slice(-8)}</code> saw it, which was
          started <Time at={history.since} />. Another gateway has a view of its own.
        </Quiet>
      </div>
      <Drawn history={history} range={range} now={now} />
      <DataTable
        caption="The newest minutes"
        isCompact
        columns={MINUTE_COLUMNS}
        rows={newestOf(history)}
        idOf={({ at }) => at}
      />
    </Panel>
  );
}

interface DrawnProps extends WithHistory {
  readonly range: number;
  readonly now: string;
}

function Drawn({ history, range, now }: DrawnProps) {
  const to = Date.parse(now) / 1_000;
  const from = to - range;
  const { at, charts } = useMemo(() => chartsOf(history, from), [history, from]);
  return (
    <Suspense fallback={<Quiet>Drawing …</Quiet>}>
      <div className={styles.charts}>
        {charts.map(({ title, unit, lines }) => (
          <TimeChart key={title} title={title} unit={unit} lines={lines} {...{ at, from, to }} />
        ))}
      </div>
    </Suspense>
  );
}

interface Drawing {
  readonly title: string;
  readonly unit: string;
  readonly lines: readonly ChartLine[];
}

function chartsOf({ minutes }: SystemHistory, from: number) {
  const { at, pick } = columnsOf(minutes, from);
  const line = (name: string, column: readonly (number | null)[]) => ({
    name,
    values: pick(column),
  });
  const charts: Drawing[] = [
    {
      title: 'Throughput',
      unit: 'per second',
      lines: [
        line('answered', perSecond(minutes.answered)),
        line('signed', perSecond(minutes.succeeded)),
      ],
    },
    {
      title: 'Time to the answer',
      unit: 'ms',
      lines: [
        line('p50', minutes.p50_ms),
        line('p95', minutes.p95_ms),
        line('p99', minutes.p99_ms),
      ],
    },
    {
      title: 'Refused and failed',
      unit: 'a minute',
      lines: [line('refused', minutes.denied), line('failed', minutes.failed)],
    },
    {
      title: 'Batches waiting',
      unit: 'at most',
      lines: minutes.queued.map((column, place) => line(`party ${place + 1}`, column)),
    },
  ];
  return { at, charts };
}

interface Minute {
  readonly at: string;
  readonly answered: number;
  readonly refused: number;
  readonly failed: number;
  readonly p50: number | null;
  readonly p99: number | null;
  readonly waiting: string;
}

const SHOWN_MINUTES = 5;

/** The one that has begun first. */
function newestOf({ minutes }: SystemHistory): Minute[] {
  const all = minutes.at.map((at, place) => ({
    at,
    answered: minutes.answered[place] ?? 0,
    refused: minutes.denied[place] ?? 0,
    failed: minutes.failed[place] ?? 0,
    p50: minutes.p50_ms[place] ?? null,
    p99: minutes.p99_ms[place] ?? null,
    waiting: minutes.queued.map((column) => column[place] ?? 0).join(', '),
  }));
  return all.slice(-SHOWN_MINUTES).toReversed();
}

const msOf = (ms: number | null) => (ms === null ? '–' : durationWords(ms));

const MINUTE_COLUMNS: readonly Column<Minute>[] = [
  { title: 'Minute', cell: ({ at }) => CLOCK.format(new Date(at)).replaceAll(/\s/g, '\u00a0') },
  { title: 'Answered', cell: ({ answered }) => answered },
  { title: 'Refused', cell: ({ refused }) => refused },
  { title: 'Failed', cell: ({ failed }) => failed },
  { title: 'p50', cell: ({ p50 }) => msOf(p50) },
  { title: 'p99', cell: ({ p99 }) => msOf(p99) },
  { title: 'Waiting', cell: ({ waiting }) => waiting },
];

const CLOCK = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit' });

function ChangesPanel({ history: { troubles, since } }: WithHistory) {
  return (
    <Panel title="What changed when">
      {troubles.length === 0 ? (
        <Quiet>
          Nothing since this gateway was started, <Time at={since} />.
        </Quiet>
      ) : (
        <DataTable
          caption="What changed"
          columns={CHANGE_COLUMNS}
          rows={troubles}
          idOf={({ kind, parties, scope, from }) => `${kind} ${parties.join()} ${scope} ${from}`}
        />
      )}
    </Panel>
  );
}

const CHANGE_COLUMNS: readonly Column<Trouble>[] = [
  { title: 'What', cell: (trouble) => troubleWords(trouble) },
  { title: 'From – to', cell: (trouble) => spanWords(trouble) },
  {
    title: 'For',
    cell: ({ from, to }) =>
      to === null ? 'it goes on' : durationWords(Date.parse(to) - Date.parse(from)),
  },
  { title: 'What to do', cell: ({ kind }) => <RunbookLink name={TROUBLE_RUNBOOKS[kind]} /> },
];
