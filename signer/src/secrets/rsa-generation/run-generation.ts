/**
 * Generates an RSA key by three parties, none of which ever holds p, q, φ or d: Boneh and Franklin's method on
 * replicated secret sharing.
 *
 * One party out of three may do anything. It can stop a run, but not end it with a key that is wrong or that it knows.
 * Shares are masked, and the values that decide (product, primality, parts of d, signatures) are each checked by the
 * two honest parties between them. Two parties together know the key, as they can sign with it. Who stopped a run is
 * not always known. Each run that a liar spoils may tell it something about numbers that are thrown away, so a caller
 * limits the runs that fail.
 */
import { ByteWriter } from '@countersign/core/bytes.js';
import { sha256 } from '@countersign/core/hash.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { toBytes } from '@countersign/core/big-integers.js';
import { requireWellFormed, type RsaKeyShare } from '../rsa/rsa-key-share.js';
import type { SharedModulus } from './biprimality.js';
import { confirmModulus } from './confirm-modulus.js';
import { GenerationChannel, type GenerationTransport } from './generation-channel.js';
import { RsaGenerationError } from '../../threads/generation-error.js';
import {
  BATCH_CANDIDATES,
  generationParameters,
  PUBLIC_EXPONENT,
  type GenerationParameters,
} from './generation-parameters.js';
import type { GenerationProgress } from '../../threads/generation-messages.js';
import type { PairSecrets } from './pair-secrets.js';
import { sharePrivateExponent } from './private-exponent.js';
import type { Replicated } from './replicated.js';
import { searchBatch } from './search.js';
import { setUpPairSecrets } from './setup.js';
import { exchangeCommitments, signTrials } from './trial-signature.js';

/** An honest run needs more than this many times the expected candidates once in 2^23. */
const CANDIDATE_LIMIT_FACTOR = 16;
const PAIR_KEY_BYTES = 32;
const RESULT_DOMAIN = 'countersign rsa generation result v1';

export interface RsaGenerationOptions {
  readonly party: PartyNumber;
  /** 2048, 3072 or 4096; 512 and 1024 in tests. */
  readonly modulusBits: number;
  /** The same at all parties; names the run. */
  readonly runId: string;
  /**
   * 32-byte secrets that this party shares with the party before it (`own`) and the one after it (`next`). They prove
   * to each that the other is who it is. The caller wipes them.
   */
  readonly pairKeys: Replicated<Uint8Array>;
  readonly transport: GenerationTransport;
  /** Fresh random bytes, in a buffer that is overwritten later. */
  readonly random: (length: number) => Uint8Array;
  readonly onProgress?: (progress: GenerationProgress) => void;
  /** Candidates after which to give up, the same at all parties; 16 times the expected number when absent. */
  readonly candidateLimit?: number;
}

export interface RsaGenerationResult {
  /** Secret: the caller seals it and wipes both parts. */
  readonly share: RsaKeyShare;
  /**
   * SHA-256 over all broadcasts, the modulus and the commitments, 32 bytes. The parties have compared it
   * among themselves; it is what they attest.
   */
  readonly transcriptHash: Uint8Array;
}

/**
 * Takes part in one run to its end. Throws `RsaGenerationError`, or what the transport threw. Then there is no key
 * here, and the other parties are told that this one gives up; at the limit of candidates they give up by themselves.
 *
 * When a party fails at the last message, another may have a key: a key counts only when all three have attested it.
 */
export async function runRsaGeneration(
  options: RsaGenerationOptions,
): Promise<RsaGenerationResult> {
  const parameters = generationParameters(options.modulusBits);
  requirePairKeys(options.pairKeys);
  const channel = new GenerationChannel(options.party, options.transport);
  let secrets: PairSecrets | undefined;
  try {
    secrets = await setUpPairSecrets(channel, options);
    return await generate({ options, parameters, channel, secrets });
  } catch (error) {
    if (!isReachedByAll(error)) await channel.abort();
    throw error;
  } finally {
    secrets?.wipe();
  }
}

/** An abort would overtake the others on their way to the same limit, and hide from them why it ended. */
function isReachedByAll(error: unknown): boolean {
  return error instanceof RsaGenerationError && error.code === 'candidate-limit';
}

interface Run {
  readonly options: RsaGenerationOptions;
  readonly parameters: GenerationParameters;
  readonly channel: GenerationChannel;
  readonly secrets: PairSecrets;
}

async function generate(run: Run): Promise<RsaGenerationResult> {
  const { options, parameters, channel, secrets } = run;
  const expected = parameters.expectedCandidates;
  const limit = options.candidateLimit ?? CANDIDATE_LIMIT_FACTOR * expected;
  for (let batch = 0; batch * BATCH_CANDIDATES < limit; batch += 1) {
    const label = `batch ${batch}`;
    const hits = await searchBatch(channel, parameters, secrets, label);
    options.onProgress?.({ tried: (batch + 1) * BATCH_CANDIDATES, expected });
    for (const [position, candidate] of hits.entries()) {
      const result = await makeKey(run, `${label} hit ${position}`, candidate);
      if (result !== undefined) return result;
    }
  }
  throw new RsaGenerationError('candidate-limit', `no modulus among ${limit} candidates`);
}

/** Undefined for a modulus whose φ has no inverse of e. */
async function makeKey(
  { options, parameters, channel, secrets }: Run,
  label: string,
  candidate: SharedModulus,
): Promise<RsaGenerationResult | undefined> {
  const { random } = options;
  const coin = await confirmModulus({ channel, parameters, secrets, label, candidate, random });
  const parts = await sharePrivateExponent({ channel, secrets, label, candidate });
  if (parts === undefined) return undefined;
  try {
    const partCommitments = await exchangeCommitments(channel, label, parts);
    const modulus = toBytes(candidate.modulus, parameters.modulusBytes);
    const share: RsaKeyShare = {
      party: channel.party,
      modulus,
      publicExponent: PUBLIC_EXPONENT,
      partCommitments,
      ...parts,
    };
    requireWellFormed(share, [parameters.modulusBits]);
    await channel.agree(`${label} agreed parts`);
    await signTrials(channel, label, share, coin);
    await channel.agree(`${label} agreed end`);
    return { share, transcriptHash: resultHash(channel, share) };
  } catch (error) {
    parts.own.fill(0);
    parts.next.fill(0);
    throw error;
  }
}

function resultHash(channel: GenerationChannel, share: RsaKeyShare): Buffer {
  const writer = new ByteWriter()
    .field(RESULT_DOMAIN)
    .fixed(channel.transcriptHash())
    .field(share.modulus)
    .u32(share.publicExponent);
  for (const commitment of share.partCommitments) writer.fixed(commitment);
  return sha256(writer.bytes());
}

function requirePairKeys({ own, next }: Replicated<Uint8Array>): void {
  if (own.length === PAIR_KEY_BYTES && next.length === PAIR_KEY_BYTES) return;
  throw new RsaGenerationError('invalid-input', 'a pair key is not of 32 bytes');
}
