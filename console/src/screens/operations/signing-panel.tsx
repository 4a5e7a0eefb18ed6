/** Requests for signatures: how many, how fast, and what waits. */
import { DataTable, type Column } from '../../design/data-table.js';
import { durationWords } from '../../design/duration-words.js';
import { LineChart } from '../../design/line-chart.js';
import { Fact, Facts, Panel, Quiet, Time } from '../../design/pieces.js';
import { MOST_SAMPLES, type Figures, type Sample } from './figure-samples.js';
import styles from './operations.module.css';

interface SigningPanelProps {
  readonly figures: Figures;
  readonly samples: readonly Sample[];
}

const SHOWN_SAMPLES = 6;

export function SigningPanel({ figures: { signing }, samples }: SigningPanelProps) {
  return (
    <Panel title="Signing">
      <Facts>
        <Fact name={`Last ${signing.window_s} s`}>
          {signing.per_s} per second; {signing.succeeded} signed, {signing.denied} denied,{' '}
          {signing.failed} failed
        </Fact>
        <Fact name="Takes">{latencyWords(signing.latency)}</Fact>
        <Fact name="Waiting here">
          {signing.waiting}
          {signing.oldest_ms !== null && `, the oldest for ${durationWords(signing.oldest_ms)}`}
        </Fact>
        <Fact name="With the parties">
          {signing.under_way} in {signing.batches} batches
        </Fact>
      </Facts>
      <SamplesFigure samples={samples} />
    </Panel>
  );
}

function latencyWords(latency: Figures['signing']['latency']): string {
  if (latency === null) return 'there were no requests';
  const { p50_ms: p50, p95_ms: p95, p99_ms: p99 } = latency;
  return `half ${durationWords(p50)} at most, 95 of 100 ${durationWords(p95)}, 99 of 100 ${durationWords(p99)}`;
}

function SamplesFigure({ samples }: Pick<SigningPanelProps, 'samples'>) {
  const valuesOf = (pick: (sample: Sample) => number | null) => samples.map(pick);
  return (
    <>
      <Quiet>
        The last five minutes since this page was opened; each value is of the minute before it.
      </Quiet>
      <div className={styles.beside}>
        <div className={styles.charts}>
          <LineChart
            title="Requests per second"
            unit="per second"
            places={MOST_SAMPLES}
            lines={[{ name: 'per second', values: valuesOf(({ perS }) => perS) }]}
          />
          <LineChart
            title="Time to the answer"
            unit="ms"
            places={MOST_SAMPLES}
            lines={[
              { name: '50 of 100', values: valuesOf(({ p50 }) => p50) },
              { name: '95 of 100', values: valuesOf(({ p95 }) => p95) },
              { name: '99 of 100', values: valuesOf(({ p99 }) => p99) },
            ]}
          />
        </div>
        <DataTable
          caption="The newest values"
          isCompact
          columns={SAMPLE_COLUMNS}
          rows={samples.slice(-SHOWN_SAMPLES).toReversed()}
          idOf={({ at }) => at}
        />
      </div>
    </>
  );
}

const msOf = (ms: number | null) => (ms === null ? '–' : durationWords(ms));

const SAMPLE_COLUMNS: readonly Column<Sample>[] = [
  { title: 'When', cell: ({ at }) => <Time at={at} clockOnly /> },
  { title: 'Per second', cell: ({ perS }) => perS },
  { title: '50 of 100', cell: ({ p50 }) => msOf(p50) },
  { title: '95 of 100', cell: ({ p95 }) => msOf(p95) },
  { title: '99 of 100', cell: ({ p99 }) => msOf(p99) },
  { title: 'Failed', cell: ({ failed }) => failed },
];
