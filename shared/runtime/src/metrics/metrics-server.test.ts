import { once } from 'node:events';
import type { Server } from 'node:http';
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { LatencyHistogram } from './latency-histogram.js';
import { createMetrics, type MetricSet } from './metrics.js';
import { createMetricsServer, metricsSettings } from './metrics-server.js';

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

async function open(set: MetricSet): Promise<number> {
  const server = createMetricsServer(await createMetrics([set]));
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

describe('the port for metrics', () => {
  it('says what the numbers are at that moment', async () => {
    const latency = new LatencyHistogram();
    let count = 1;
    const port = await open({
      gauges: [{ name: 'a', help: 'A.', labels: ['of'], read: () => [[{ of: 'x' }, count]] }],
      counters: [{ name: 'b_total', help: 'B.', read: () => [[{}, 10 * count]] }],
      latencies: [{ name: 'c_seconds', help: 'C.', latency }],
    });
    const read = async () => (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    await read();
    count = 2;
    latency.note(12);
    latency.note(5_000);
    const lines = (await read()).split('\n');
    for (const line of [
      'a{of="x"} 2',
      'b_total 20',
      '# TYPE c_seconds histogram',
      'c_seconds_bucket{le="0.01"} 0',
      'c_seconds_bucket{le="0.015"} 1',
      'c_seconds_bucket{le="2"} 1',
      'c_seconds_bucket{le="+Inf"} 2',
      'c_seconds_count 2',
      'c_seconds_sum 5.012',
    ]) {
      expect(lines).toContain(line);
    }
    expect(lines.some((line) => line.startsWith('nodejs_eventloop_lag_seconds '))).toBe(true);
  });

  it.each([
    ['GET', '/'],
    ['GET', '/metrics?x'],
    ['POST', '/metrics'],
    ['GET', '/metrics/../etc/passwd'],
  ])('answers nothing else: %s %s', async (method, path) => {
    const port = await open({});
    const sent = request({ host: '127.0.0.1', port, method, path, agent: false }).end('{}');
    const [response] = (await once(sent, 'response')) as [import('node:http').IncomingMessage];
    response.resume();
    expect(response.statusCode).toBe(404);
  });

  it('is off, and on loopback, unless the operator says otherwise', () => {
    const schema = z.object(metricsSettings);
    expect(schema.parse({})).toEqual({ METRICS_HOST: '127.0.0.1' });
    expect(schema.parse({ METRICS_PORT: '9100', METRICS_HOST: '10.0.0.1' })).toEqual({
      METRICS_PORT: 9100,
      METRICS_HOST: '10.0.0.1',
    });
    expect(schema.safeParse({ METRICS_PORT: '70000' }).success).toBe(false);
  });
});
