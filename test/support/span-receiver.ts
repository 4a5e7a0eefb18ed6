/** A collector that takes spans as OTLP/HTTP says, in JSON, and keeps them. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly {
    readonly key: string;
    readonly value: { readonly stringValue?: string };
  }[];
}

interface Sent {
  readonly resourceSpans: readonly {
    readonly resource: Pick<SentSpan, 'attributes'>;
    readonly scopeSpans: readonly { readonly spans: readonly SentSpan[] }[];
  }[];
}

export interface ReceivedSpan extends Pick<
  SentSpan,
  'traceId' | 'spanId' | 'parentSpanId' | 'name'
> {
  readonly service: string;
  readonly attributes: Readonly<Record<string, string | undefined>>;
  /** ms since the epoch. */
  readonly from: number;
  readonly until: number;
}

export interface SpanReceiver {
  readonly url: string;
  readonly spans: readonly ReceivedSpan[];
  /** All that was sent, as JSON. */
  readonly texts: readonly string[];
  close(): Promise<void>;
}

export async function openSpanReceiver(): Promise<SpanReceiver> {
  const spans: ReceivedSpan[] = [];
  const texts: string[] = [];
  const collector = await openCollector((request, response) => {
    void json(request).then((sent) => {
      texts.push(JSON.stringify(sent));
      spans.push(...spansIn(sent as Sent));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  return { ...collector, spans, texts };
}

/** A collector that answers as it likes. */
export async function openCollector(
  answer: RequestListener,
): Promise<Pick<SpanReceiver, 'url' | 'close'>> {
  const server = createServer(answer).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function spansIn({ resourceSpans }: Sent): ReceivedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) => {
    const service = textsOf(resource)['service.name'] ?? '';
    return scopeSpans.flatMap((scope) => scope.spans.map((span) => received(service, span)));
  });
}

function received(service: string, span: SentSpan): ReceivedSpan {
  const { traceId, spanId, parentSpanId, name } = span;
  return {
    ...{ service, traceId, spanId, name },
    ...(parentSpanId !== undefined && { parentSpanId }),
    attributes: textsOf(span),
    from: Number(span.startTimeUnixNano) / 1e6,
    until: Number(span.endTimeUnixNano) / 1e6,
  };
}

function textsOf({ attributes }: Pick<SentSpan, 'attributes'>) {
  return Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue]));
}
