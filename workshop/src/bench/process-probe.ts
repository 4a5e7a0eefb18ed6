/**
 * Preloaded (`--import`) into a process that `npm run bench -- --inside` measures: tells how late its event loop was and
 * what its main thread allocated, to whoever connects to its socket in the folder that the module's address names. Each
 * answer is of the time since the one before.
 */
import { createServer } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { GCProfiler, getHeapStatistics } from 'node:v8';
import { isMainThread } from 'node:worker_threads';
import { probeSocket, type InsideReading } from './inside.js';

const RESOLUTION_MS = 10;

function createProbe(): () => InsideReading {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  let profiler = new GCProfiler();
  profiler.start();
  let used = getHeapStatistics().used_heap_size;

  /** A collection tells what was used before it: what came since the one before it was allocated. */
  function collections(): Pick<InsideReading, 'allocatedBytes' | 'collectingUs'> {
    const { statistics } = profiler.stop();
    let [allocatedBytes, collectingUs] = [0, 0];
    for (const { beforeGC, afterGC, cost } of statistics) {
      allocatedBytes += beforeGC.heapStatistics.usedHeapSize - used;
      used = afterGC.heapStatistics.usedHeapSize;
      collectingUs += cost;
    }
    const now = getHeapStatistics().used_heap_size;
    allocatedBytes += now - used;
    used = now;
    profiler = new GCProfiler();
    profiler.start();
    return { allocatedBytes, collectingUs };
  }

  return () => {
    const [p99, max] = [delays.percentile(99), delays.max].map((ns) =>
      Math.max(ns / 1e6 - RESOLUTION_MS, 0),
    );
    delays.reset();
    return { ...collections(), delayP99Ms: p99!, delayMaxMs: max! };
  };
}

const folder = new URL(import.meta.url).searchParams.get('folder');
// a thread inherits what its process preloads
if (isMainThread && folder !== null) {
  const read = createProbe();
  const server = createServer((socket) => void socket.end(JSON.stringify(read())));
  server.listen(probeSocket(folder, process.pid)).unref();
}
