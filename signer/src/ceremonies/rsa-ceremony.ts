/**
 * One party takes part in the generation of an RSA key. The protocol runs in a thread of its own, and this carries its
 * messages. A run ends when its caller begins another one, or when nothing has been heard for a while.
 */
import { randomBytes } from 'node:crypto';
import { nextParty } from '@countersign/custody/import-package.js';
import { RsaGenerationError } from '../threads/generation-error.js';
import type { GeneratedRsaKey, GeneratedSharePurpose } from '../threads/generation-messages.js';
import { startRsaGenerationThread } from '../threads/generation-worker.js';
import { RSA_SHARE_SCHEME, rsaPublicKey } from '../threads/rsa-public-values.js';
import type { CompletedShare } from '../threads/thread-tasks.js';
import { KEY_VERSION } from '../threads/sealed-share.js';
import type { CeremonyRun } from './ceremony-run.js';
import type { ProgressReporter } from './progress-reporter.js';

/** The longest single step of an honest party, with room for a loaded machine. */
const SILENCE_MS = 15_000;
const PAIR_SECRET_TAG = 'pair secret';
const PAIR_SECRET_BYTES = 32;
/** An honest run may end with these; every other code says that somebody deviates from the protocol. */
const BENIGN_CODES: readonly string[] = ['stopped', 'peer-aborted', 'invalid-input', 'setup'];

export interface RsaCeremonyDeps {
  /** The program of a generation's thread. */
  readonly generationThread: URL;
  readonly kekFile: string;
  readonly cloudVariables: Readonly<Record<string, string>>;
  readonly progress: ProgressReporter;
}

export interface WantedRsaShare {
  readonly modulusBits: number;
  readonly sealedAs: GeneratedSharePurpose;
}

export async function runRsaCeremony(
  deps: RsaCeremonyDeps,
  run: CeremonyRun,
  { modulusBits, sealedAs }: WantedRsaShare,
): Promise<CompletedShare> {
  const { self, session, keyId, inbox, signal, send } = run;
  const pairKeys = await agreeOnPairKeys(run);
  const thread = startRsaGenerationThread({
    threadFile: deps.generationThread,
    party: self.party,
    modulusBits,
    runId: session,
    pairKeys,
    kekFile: deps.kekFile,
    cloudVariables: deps.cloudVariables,
    sealedAs,
    keyId,
    version: KEY_VERSION,
    onSend: (to, tag, bytes) => {
      send(to, tag, bytes).catch(() => undefined); // a lost message ends the run by its silence
    },
    onProgress: (progress) => deps.progress(keyId, progress),
  });
  pairKeys.own.fill(0);
  pairKeys.next.fill(0);
  const stop = () => void thread.stop();
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const silence = setTimeout(stop, SILENCE_MS);
  inbox.pipe((from, tag, bytes) => {
    if (tag === PAIR_SECRET_TAG) return;
    silence.refresh();
    thread.deliver(from, tag, bytes);
  });
  try {
    return toCompletedShare(await thread.result);
  } finally {
    clearTimeout(silence);
    signal.removeEventListener('abort', stop);
    stop();
  }
}

/**
 * Each party draws the secret that it shares with the party after it, and tells it over the party channel. The
 * channel's keys are fresh, so nothing that lasts gives it away later. Rejects when the party before says nothing in
 * time.
 */
async function agreeOnPairKeys({ self, inbox, send, signal }: CeremonyRun) {
  const after = nextParty(self.party);
  const before = nextParty(after);
  const next = randomBytes(PAIR_SECRET_BYTES);
  await send(after, PAIR_SECRET_TAG, next);
  const own = await Promise.race([inbox.receive(PAIR_SECRET_TAG, before), endOf(signal)]);
  if (own.length !== PAIR_SECRET_BYTES) {
    throw new RsaGenerationError('malformed', `pair secret of party ${before}`, { party: before });
  }
  return { own, next };
}

/** Never resolves; rejects once the signal aborts. */
function endOf(signal: AbortSignal): Promise<never> {
  return new Promise((_resolve, reject) => {
    const end = () => reject(new RsaGenerationError('stopped', 'the run is over'));
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  });
}

function toCompletedShare(generated: GeneratedRsaKey): CompletedShare {
  const publicKey = rsaPublicKey(generated).export({ format: 'der', type: 'spki' });
  return {
    scheme: RSA_SHARE_SCHEME,
    wrappedDek: generated.wrappedDek,
    sealed: generated.sealed,
    publicKey: Uint8Array.from(publicKey),
    transcriptHash: generated.transcriptHash,
  };
}

/** Whether a run ended because somebody did not follow the protocol, rather than because a message was missing. */
export function isProtocolFault(error: unknown): error is RsaGenerationError {
  return error instanceof RsaGenerationError && !BENIGN_CODES.includes(error.code);
}
