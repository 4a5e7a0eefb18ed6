/** Reads an export of any size, and has its lines checked by threads as it comes in. */
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { noFacts, type ExportFacts } from './check-lines.js';
import type { TrustedGenesis } from './check-record.js';

const CHUNK_BYTES = 1024 * 1024;
/** So that a thread has its next lines when it is done with some. */
const AHEAD = 2;
const LINE_FEED = 10;
const THREAD = new URL('./line-thread.js', import.meta.url);

/** Throws when the file cannot be read, or a thread dies. */
export async function readExport(
  path: string,
  trust: TrustedGenesis,
  threads = availableParallelism(),
): Promise<ExportFacts> {
  const all = noFacts();
  const workers = Array.from({ length: threads }, () => startWorker(trust, all));
  try {
    let turn = 0;
    for await (const lines of wholeLines(path)) {
      const worker = workers[turn++ % workers.length]!;
      await worker.send(lines);
    }
    await Promise.all(workers.map((worker) => worker.finish()));
  } finally {
    await Promise.all(workers.map((worker) => worker.end()));
  }
  return all;
}

interface LineWorker {
  /** Resolves once the thread has room for more. */
  send(lines: Uint8Array): Promise<void>;
  finish(): Promise<void>;
  end(): Promise<unknown>;
}

function startWorker(trust: TrustedGenesis, all: ExportFacts): LineWorker {
  const worker = new Worker(THREAD, {
    workerData: trust,
    env: {},
    // what lines are taken apart into is soon garbage: with little room for it much is kept too long
    resourceLimits: { maxYoungGenerationSizeMb: 128 },
  });
  let underWay = 0;
  let failure: Error | undefined;
  worker.on('message', (facts: ExportFacts) => {
    underWay -= 1;
    for (const line of facts.ledger) all.ledger.push(line);
    for (const record of facts.records) all.records.push(record);
    for (const fault of facts.faults) all.faults.push(fault);
  });
  worker.on('error', (error: Error) => (failure = error));

  async function untilBelow(limit: number): Promise<void> {
    while (underWay >= limit && failure === undefined) {
      await once(worker, 'message').catch(() => undefined);
    }
    if (failure !== undefined) throw failure;
  }

  return {
    async send(lines) {
      underWay += 1;
      worker.postMessage(lines, [lines.buffer as ArrayBuffer]);
      await untilBelow(AHEAD + 1);
    },
    finish: () => untilBelow(1),
    end: () => worker.terminate(),
  };
}

/** Pieces of about a megabyte that end with a line, in memory of their own. */
async function* wholeLines(path: string): AsyncGenerator<Uint8Array> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of createReadStream(path, { highWaterMark: CHUNK_BYTES })) {
    const bytes = Buffer.concat([rest, chunk as Buffer]);
    const end = bytes.lastIndexOf(LINE_FEED) + 1;
    rest = bytes.subarray(end);
    if (end > 0) yield Uint8Array.from(bytes.subarray(0, end));
  }
  if (rest.length > 0) yield Uint8Array.from(rest);
}
