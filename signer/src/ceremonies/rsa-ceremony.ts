/**
 * Generation of an RSA key as one party takes part in it: the protocol runs in a thread of its own, and
 * this carries its messages. A run ends when its caller begins another one, or when nothing has been
 * heard for a while.
 */
import { nextParty } from '@countersign/custody/import-package.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { RsaGenerationError } from '../threads/generation-error.js';
import type { GeneratedRsaKey, GeneratedSharePurpose } from '../threads/generation-messages.js';
import { startRsaGenerationThread } from '../threads/generation-worker.js';
import { RSA_SHARE_SCHEME, rsaPublicKey } from '../threads/rsa-public-values.js';
import type { CompletedShare } from '../threads/thread-tasks.js';
import { KEY_VERSION, type CeremonyRun } from './ceremony-run.js';
import type { ProgressReporter } from './progress-reporter.js';

/** The longest single step of an honest party, with room for a loaded machine. */
const SILENCE_MS = 15_000;
/** What an honest run may end with; every other code says that somebody deviates from the protocol. */
const BENIGN_CODES: readonly string[] = ['stopped', 'peer-aborted', 'invalid-input', 'setup'];

export interface RsaCeremonyDeps {
  readonly kekFile: string;
  readonly progress: ProgressReporter;
  /** 32 bytes in common with `peer` alone. */
  pairSecret(peer: PartyNumber, purpose: string): Buffer;
}

export interface WantedRsaShare {
  readonly modulusBits: number;
  readonly sealedAs: GeneratedSharePurpose;
}

export async function runRsaCeremony(
  deps: RsaCeremonyDeps,
  { self, session, keyId, inbox, signal, send }: CeremonyRun,
  { modulusBits, sealedAs }: WantedRsaShare,
): Promise<CompletedShare> {
  const { party } = self;
  const next = nextParty(party);
  const before = nextParty(next);
  const purpose = `rsa key generation ${session}`;
  const pairKeys = {
    own: deps.pairSecret(before, purpose),
    next: deps.pairSecret(next, purpose),
  };
  const thread = startRsaGenerationThread({
    party,
    modulusBits,
    runId: session,
    pairKeys,
    kekFile: deps.kekFile,
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

/** Whether a run ended because somebody did not follow the protocol, and not for want of a message. */
export function isProtocolFault(error: unknown): error is RsaGenerationError {
  return error instanceof RsaGenerationError && !BENIGN_CODES.includes(error.code);
}
