/** Requests for signatures now: how many, how fast, and what waits. */
import { durationWords } from '../../design/duration-words.js';
import { Fact, Facts, Panel } from '../../design/pieces.js';
import type { Figures } from './live-figures.js';

export function SigningPanel({ figures: { signing } }: { readonly figures: Figures }) {
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
    </Panel>
  );
}

function latencyWords(latency: Figures['signing']['latency']): string {
  if (latency === null) return 'there were no requests';
  const { p50_ms: p50, p95_ms: p95, p99_ms: p99 } = latency;
  return `p50 ${durationWords(p50)}, p95 ${durationWords(p95)}, p99 ${durationWords(p99)}`;
}
