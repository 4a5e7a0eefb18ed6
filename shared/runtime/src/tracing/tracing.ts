/**
 * Draws one request over all processes as OpenTelemetry spans, where an operator names a collector. Without one none of
 * its modules is loaded, but for the interface that prom-client brings, and nothing is noted for it.
 *
 * A span says three things: request id, action and stage. Whoever runs the collector learns no body, key, caller or
 * address. What a collector does costs spans and nothing else: they wait in a bounded queue, nobody waits for them, and
 * what is too many is dropped.
 */
import { z } from 'zod';
import type { Logger } from '../process/logger.js';
import type { ProcessLife } from '../process/process-life.js';
import { watchTrouble, type Trouble } from '../process/trouble.js';
import type { Stage } from './stage-clock.js';
import { parseTraceparent, traceparentOf } from './traceparent.js';

/** Settings of processes that trace; spread into their schemas. */
export const tracingSettings = {
  /** URL of an OTLP/HTTP collector, to which spans of requests for signatures go (`/v1/traces`). Absent: none are made. */
  OTEL_EXPORTER_OTLP_ENDPOINT: z.url({ protocol: /^https?$/ }).optional(),
};

export interface TracingConfig {
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
}

/** All that is told of a request. */
export interface TracedRequest {
  /** What this process does for it. */
  readonly role: 'request' | 'partner' | 'lead';
  readonly requestId: string;
  /** The operation's id; undefined for a request that is none. */
  readonly action: string | undefined;
  /** The span that this one belongs to, as `traceparent` says it. What is none is ignored. */
  readonly parent: string | undefined;
  /** ms since the epoch. */
  readonly startedAt: number;
}

export interface OpenSpan {
  /** For processes that work on the request next, as `traceparent`. */
  readonly place: string;
  /** Ends it now, with a span in it for each stage. */
  end(stages: readonly Stage[]): void;
}

export interface Tracing {
  readonly isOn: boolean;
  /** Undefined if nobody wants to see this request. Never throws. */
  start(request: TracedRequest): OpenSpan | undefined;
}

export const NO_TRACING: Tracing = { isOn: false, start: () => undefined };

/** Spans that wait for the collector; further ones are dropped. */
export const MAX_WAITING_SPANS = 2_048;
const MAX_SENT_SPANS = 512;
const SEND_EVERY_MS = 1_000;
const SENT_WITHIN_MS = 5_000;
/** At its end a process waits no longer for its collector. */
const LAST_SENT_WITHIN_MS = 1_000;

interface Surroundings {
  readonly logger: Logger;
  readonly life: Pick<ProcessLife, 'onStop'>;
}

/** `service`: the process, as the collector shows it. */
export async function openTracing(
  { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }: TracingConfig,
  service: string,
  { logger, life }: Surroundings,
): Promise<Tracing> {
  if (endpoint === undefined) return NO_TRACING;
  const [api, { resourceFromAttributes }, sdk] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/resources'),
    import('@opentelemetry/sdk-trace'),
  ]);
  const processor = new sdk.BatchSpanProcessor({
    exporter: await openExporter(endpoint, logger),
    maxQueueSize: MAX_WAITING_SPANS,
    maxExportBatchSize: MAX_SENT_SPANS,
    scheduledDelayMillis: SEND_EVERY_MS,
    exportTimeoutMillis: 2 * SENT_WITHIN_MS,
  });
  const resource = resourceFromAttributes({ 'service.name': service });
  const provider = new sdk.TracerProvider({ resource, spanProcessors: [processor] });
  life.onStop(() => endWithin(provider.shutdown(), LAST_SENT_WITHIN_MS));
  const tracer = provider.getTracer('countersign');
  return { isOn: true, start: (request) => startSpan(api, tracer, request) };
}

type Api = typeof import('@opentelemetry/api');
type Tracer = import('@opentelemetry/api').Tracer;

function startSpan(api: Api, tracer: Tracer, request: TracedRequest): OpenSpan | undefined {
  const { role, requestId, action = 'unknown', parent, startedAt: startTime } = request;
  const above = parseTraceparent(parent);
  const { ROOT_CONTEXT, trace } = api;
  const around =
    above === undefined
      ? ROOT_CONTEXT
      : trace.setSpanContext(ROOT_CONTEXT, { ...above, isRemote: true });
  const attributes = { 'countersign.request_id': requestId, 'countersign.action': action };
  const span = tracer.startSpan(role, { startTime, attributes }, around);
  if (!span.isRecording()) return undefined;
  const within = trace.setSpan(ROOT_CONTEXT, span);
  return {
    place: traceparentOf(span.spanContext()),
    end(stages) {
      for (const { stage, from, until } of stages) {
        const told = { ...attributes, 'countersign.stage': stage };
        tracer.startSpan(stage, { startTime: from, attributes: told }, within).end(until);
      }
      span.end(Math.max(startTime, stages.at(-1)?.until ?? startTime));
    },
  };
}

type Exporter = import('@opentelemetry/sdk-trace').SpanExporter;

/** Tells the log when a collector has been failing for a while: everything else goes on. */
async function openExporter(endpoint: string, logger: Logger): Promise<Exporter> {
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-http');
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/+$/, '')}/v1/traces`,
    timeoutMillis: SENT_WITHIN_MS,
    concurrencyLimit: 2,
  });
  const trouble = watchTrouble({
    onLasting: (reason) =>
      logger.warn({ event: 'spans_not_sent', reason }, 'the collector takes no spans'),
  });
  return {
    export: (spans, tell) =>
      exporter.export(spans, (result) => {
        noteResult(trouble, result);
        tell(result);
      }),
    shutdown: () => exporter.shutdown(),
  };
}

/** What a collector answers may hold anything: it is not logged. */
function noteResult(trouble: Trouble, { error }: { readonly error?: Error }): void {
  if (error === undefined) trouble.end();
  else trouble.note(error.name);
}

async function endWithin(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work.catch(() => undefined), late]);
  clearTimeout(timer);
}
