/** A thread that checks lines by themselves: hashes and signatures are most of the work. */
import { parentPort, workerData } from 'node:worker_threads';
import { checkLines } from './check-lines.js';
import { trustReceipts, type TrustedGenesis } from './check-record.js';

if (parentPort === null) throw new Error('this runs in a thread');
const port = parentPort;
const trust = trustReceipts(workerData as TrustedGenesis);
port.on('message', (chunk: Uint8Array) => {
  const text = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength).toString('utf8');
  port.postMessage(checkLines(text, trust));
});
