/** A thread that verifies words of parties ahead of the fold. It holds no secrets, and what it says is about public bytes. */
import { parentPort, workerData } from 'node:worker_threads';
import { verifyWords, type WordSigners } from '@countersign/vault/ledger/verified-words.js';

if (parentPort === null) throw new Error('this runs in a thread');
const port = parentPort;
const signers = workerData as WordSigners;
port.on('message', (bodies: readonly Uint8Array[]) => {
  port.postMessage(verifyWords(bodies, signers));
});
