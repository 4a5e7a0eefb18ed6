/**
 * A port for whoever collects metrics. It answers one question, reads no body, and asks for no credential. So it
 * listens on this host alone unless the operator says otherwise.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import { z } from 'zod';
import type { Logger } from '../process/logger.js';
import type { ProcessLife } from '../process/process-life.js';
import { createMetrics, type MetricSet } from './metrics.js';

/** Settings of every process; spread into its schema. */
export const metricsSettings = {
  /** TCP port for `GET /metrics`; 0 takes a free one, which the log line `metrics` tells. Absent: none. */
  METRICS_PORT: z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().max(65_535))
    .optional(),
  /** Address of that port; loopback when absent: who reaches it needs no credential. */
  METRICS_HOST: z.string().min(1).prefault('127.0.0.1'),
};

export interface MetricsConfig {
  readonly METRICS_PORT?: number | undefined;
  readonly METRICS_HOST: string;
}

const MAX_CONNECTIONS = 16;
const SLOWEST_REQUEST_MS = 5_000;

/** Does nothing if no port is configured. Rejects when the port cannot be opened. */
export async function openMetrics(
  { METRICS_PORT: port, METRICS_HOST: host }: MetricsConfig,
  { logger, life }: { readonly logger: Logger; readonly life: Pick<ProcessLife, 'onStop'> },
  sets: readonly MetricSet[],
): Promise<void> {
  if (port === undefined) return;
  const server = createMetricsServer(await createMetrics(sets));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  life.onStop(() => {
    server.closeAllConnections();
    server.close();
  });
  const taken = (server.address() as AddressInfo).port;
  logger.info({ event: 'metrics', host, port: taken }, 'metrics can be read');
}

export function createMetricsServer(registry: Pick<Registry, 'metrics' | 'contentType'>): Server {
  const server = createServer(
    { headersTimeout: SLOWEST_REQUEST_MS, requestTimeout: SLOWEST_REQUEST_MS },
    (request, response) => void answer(registry, request, response),
  );
  server.maxConnections = MAX_CONNECTIONS;
  return server;
}

async function answer(
  registry: Pick<Registry, 'metrics' | 'contentType'>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  request.resume();
  if (request.method !== 'GET' || request.url !== '/metrics') {
    response.writeHead(404).end();
    return;
  }
  try {
    const text = await registry.metrics();
    response.writeHead(200, { 'content-type': registry.contentType, 'cache-control': 'no-store' });
    response.end(text);
  } catch {
    response.writeHead(500).end();
  }
}
