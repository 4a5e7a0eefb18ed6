/**
 * The code of a thread that takes part in one RSA key generation and ends.
 *
 * It has a thread of its own, because the shares of p, q and d are BigInts here, which cannot be wiped: they go when
 * the thread's heap goes. Only messages to the other parties leave it and, in the end, this party's share, sealed.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { openKek } from '../kek/open-kek.js';
import { randomSecret, sealShare, type KeyEncryptionKey } from '../sealing/share-seal.js';
import { encodeRsaKeyShare, type RsaKeyShare } from '../rsa/rsa-key-share.js';
import { RSA_SHARE_SCHEME } from '../../threads/rsa-public-values.js';
import { RsaGenerationError } from '../../threads/generation-error.js';
import type {
  FromGenerationThread,
  GeneratedRsaKey,
  GenerationThreadData,
  ToGenerationThread,
} from '../../threads/generation-messages.js';
import { createMailbox } from './mailbox.js';
import { runRsaGeneration } from './run-generation.js';

if (parentPort === null) throw new Error('runs as a worker thread only');
const port = parentPort;

function post(message: FromGenerationThread): void {
  port.postMessage(message);
}

/** Copies into memory of their own: posting a view posts all the memory behind it. */
function ownBytes(bytes: Uint8Array): Uint8Array {
  return Uint8Array.from(bytes);
}

async function generate(data: GenerationThreadData): Promise<GeneratedRsaKey> {
  // the exponentiation was tested when the process started: a signer without that test does not run
  // opened first: a KEK that cannot be read must not show after minutes of work
  const kek = await openKek(data.kekFile, data.party);
  const mailbox = createMailbox();
  port.on('message', ({ from, tag, bytes }: ToGenerationThread) =>
    mailbox.deliver(from, tag, bytes),
  );
  const { share, transcriptHash } = await runRsaGeneration({
    party: data.party,
    modulusBits: data.modulusBits,
    runId: data.runId,
    pairKeys: data.pairKeys,
    transport: {
      send: (to, tag, bytes) => post({ kind: 'send', to, tag, bytes: ownBytes(bytes) }),
      receive: mailbox.receive,
    },
    random: randomSecret,
    onProgress: (progress) => post({ kind: 'progress', ...progress }),
    ...(data.candidateLimit !== undefined && { candidateLimit: data.candidateLimit }),
  });
  const [first, second, third] = share.partCommitments;
  return {
    ...(await sealAndWipe(kek, data, share)),
    modulus: ownBytes(share.modulus),
    publicExponent: share.publicExponent,
    transcriptHash: ownBytes(transcriptHash),
    partCommitments: [ownBytes(first), ownBytes(second), ownBytes(third)],
  };
}

async function sealAndWipe(
  kek: KeyEncryptionKey,
  { sealedAs: purpose, keyId, party, version }: GenerationThreadData,
  share: RsaKeyShare,
): Promise<{ wrappedDek: Uint8Array; sealed: Uint8Array }> {
  const secret = encodeRsaKeyShare(share);
  try {
    const aad = { purpose, keyId, party, scheme: RSA_SHARE_SCHEME, version };
    const { wrappedDek, sealed } = await sealShare({ kek, aad, secret });
    return { wrappedDek: ownBytes(wrappedDek), sealed: ownBytes(sealed) };
  } finally {
    secret.fill(0);
    share.own.fill(0);
    share.next.fill(0);
  }
}

function failureOf(error: unknown): FromGenerationThread {
  const detail = error instanceof Error ? error.message : 'unknown reason';
  return error instanceof RsaGenerationError
    ? { kind: 'failed', code: error.code, party: error.party, detail }
    : { kind: 'failed', code: 'fault', party: undefined, detail };
}

const data = workerData as GenerationThreadData;
try {
  post({ kind: 'done', key: await generate(data) });
} catch (error) {
  post(failureOf(error));
} finally {
  data.pairKeys.own.fill(0);
  data.pairKeys.next.fill(0);
  // nothing holds the thread any longer: it ends, and its memory with it
  port.close();
}
