/** The three parties of an RSA key generation in one process, and what a test can do with all they hold. */
import { checkPrimeSync, hkdfSync, randomBytes } from 'node:crypto';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import { nextParty } from '@countersign/custody/import-package.js';
import { RSA_SCHEME_FORMS, saltBytes, type RsaScheme } from '../../signer/src/secrets/rsa/emsa.js';
import type { GenerationTransport } from '../../signer/src/secrets/rsa-generation/generation-channel.js';
import { createMailbox, type Mailbox } from '../../signer/src/secrets/rsa-generation/mailbox.js';
import {
  runRsaGeneration,
  type RsaGenerationResult,
} from '../../signer/src/secrets/rsa-generation/run-generation.js';
import type { GenerationProgress } from '../../signer/src/threads/generation-messages.js';
import { gcd, modPow } from '../../signer/src/secrets/rsa/integers.js';
import { toBigInt } from '@countersign/core/big-integers.js';
import { SigningModexp } from '../../signer/src/secrets/rsa/modexp.js';
import { RsaGenerationError } from '../../signer/src/threads/generation-error.js';
import type { RsaKeyShare } from '../../signer/src/secrets/rsa/rsa-key-share.js';
import { rsaPublicKey } from '../../signer/src/threads/rsa-public-values.js';
import {
  isRsaSignature,
  leadCombine,
  partnerPartial,
} from '../../signer/src/secrets/rsa/threshold-rsa.js';

export const RSA_SCHEMES = Object.keys(RSA_SCHEME_FORMS) as RsaScheme[];

export const ORDERED_PAIRS: readonly (readonly [PartyNumber, PartyNumber])[] =
  PARTY_NUMBERS.flatMap((lead) =>
    PARTY_NUMBERS.filter((partner) => partner !== lead).map((partner) => [lead, partner] as const),
  );

export interface Letter {
  readonly from: PartyNumber;
  readonly to: PartyNumber;
  readonly tag: string;
  readonly bytes: Uint8Array;
}

export interface ThreePartiesOptions {
  readonly modulusBits: number;
  readonly candidateLimit?: number;
  /** What is delivered in place of a message; may wait for others. The same message when absent. */
  readonly tamper?: (letter: Letter) => Uint8Array | Promise<Uint8Array>;
  readonly onProgress?: (progress: GenerationProgress) => void;
  /** All that the parties draw follows from it, so that a run can be had again. Fresh when absent. */
  readonly seed?: Uint8Array;
}

export type Outcome = PromiseSettledResult<RsaGenerationResult>;

/** Runs one generation to its end at each party. */
export async function settleThreeParties(options: ThreePartiesOptions): Promise<Outcome[]> {
  const { modulusBits, candidateLimit, onProgress, tamper = ({ bytes }) => bytes } = options;
  const { seed } = options;
  const randomOf = (name: string) => (seed === undefined ? randomBytes : drawsFrom(seed, name));
  const common = randomOf('common');
  const runId = Buffer.from(common(8)).toString('hex');
  const keys = { 1: common(32), 2: common(32), 3: common(32) };
  const mailboxes = { 1: createMailbox(), 2: createMailbox(), 3: createMailbox() };
  const silence = new Silence(mailboxes);
  return Promise.allSettled(
    PARTY_NUMBERS.map(async (party) =>
      runRsaGeneration({
        party,
        modulusBits,
        runId,
        pairKeys: { own: keys[party], next: keys[nextParty(party)] },
        transport: transportOf(party, mailboxes, tamper, silence),
        random: randomOf(`party ${party}`),
        ...(onProgress !== undefined && party === 1 && { onProgress }),
        ...(candidateLimit !== undefined && { candidateLimit }),
      }).finally(() => {
        silence.leave();
      }),
    ),
  );
}

/**
 * What a ceremony's deadline is to parties in processes of their own: told two stories about a candidate, one
 * may go on to the next while the others wait for it to confirm, for ever. When each party that is left only
 * waits, they are stopped.
 */
class Silence {
  readonly #mailboxes: Readonly<Record<PartyNumber, Mailbox>>;
  readonly #waiting = new Map<PartyNumber, number>(PARTY_NUMBERS.map((party) => [party, 0]));
  #running = PARTY_NUMBERS.length;
  /** Counts all that happens: two looks that find the same number found nobody at work in between. */
  #events = 0;
  /** Messages that a tamperer holds. */
  #held = 0;

  constructor(mailboxes: Readonly<Record<PartyNumber, Mailbox>>) {
    this.#mailboxes = mailboxes;
  }

  async wait(party: PartyNumber, message: Promise<Uint8Array>): Promise<Uint8Array> {
    this.#note(party, 1);
    try {
      return await message;
    } finally {
      this.#note(party, -1);
    }
  }

  async hold<T>(message: Promise<T> | T): Promise<T> {
    this.#held += 1;
    try {
      return await message;
    } finally {
      this.#held -= 1;
      this.#look();
    }
  }

  leave(): void {
    this.#running -= 1;
    this.#look();
  }

  #note(party: PartyNumber, change: 1 | -1): void {
    this.#waiting.set(party, (this.#waiting.get(party) ?? 0) + change);
    this.#look();
  }

  #look(): void {
    const event = ++this.#events;
    if (!this.#isSilent()) return;
    setImmediate(() => {
      if (event !== this.#events || !this.#isSilent()) return;
      for (const mailbox of Object.values(this.#mailboxes)) {
        mailbox.fail(new RsaGenerationError('stopped', 'nobody says anything more'));
      }
    });
  }

  #isSilent(): boolean {
    const waiting = [...this.#waiting.values()].filter((count) => count > 0).length;
    return this.#held === 0 && waiting === this.#running;
  }
}

/** Bytes that look random and are the same for the same seed, name and order of calls. For tests alone. */
function drawsFrom(seed: Uint8Array, name: string): (length: number) => Buffer {
  let draws = 0;
  return (length) => {
    const salt = Buffer.from(`draw ${draws++}`);
    return Buffer.from(hkdfSync('sha256', seed, salt, name, length));
  };
}

function transportOf(
  from: PartyNumber,
  mailboxes: Readonly<Record<PartyNumber, Mailbox>>,
  tamper: NonNullable<ThreePartiesOptions['tamper']>,
  silence: Silence,
): GenerationTransport {
  return {
    async send(to, tag, bytes) {
      const delivered = await silence.hold(tamper({ from, to, tag, bytes }));
      mailboxes[to].deliver(from, tag, delivered);
    },
    receive: async (sender, tag) => silence.wait(from, mailboxes[from].receive(sender, tag)),
  };
}

/** The results of an honest run, of parties 1, 2 and 3. */
export async function generateWithThreeParties(
  options: ThreePartiesOptions,
): Promise<Readonly<Record<PartyNumber, RsaGenerationResult>>> {
  const outcomes = await settleThreeParties(options);
  const [first, second, third] = outcomes.map((outcome) => {
    if (outcome.status === 'rejected') throw outcome.reason;
    return outcome.value;
  });
  if (first === undefined || second === undefined || third === undefined) throw new Error();
  return { 1: first, 2: second, 3: third };
}

/** Signs a fresh message with two shares, each as the other's partner, and says whether both are good. */
export function canSignTogether(
  left: RsaKeyShare,
  right: RsaKeyShare,
  scheme: RsaScheme = 'rsa_pkcs1_sha256',
): boolean {
  return [
    [left, right],
    [right, left],
  ].every(([lead, partner]) => {
    if (lead === undefined || partner === undefined) throw new Error();
    const modexp = new SigningModexp(1);
    const publicKey = rsaPublicKey(lead);
    const message = { scheme, message: randomBytes(50), salt: randomBytes(saltBytes(scheme)) };
    const partial = partnerPartial({ share: partner, lead: lead.party, message, modexp });
    const signature = leadCombine({
      share: lead,
      partner: partner.party,
      partial,
      message,
      publicKey,
      modexp,
    });
    return isRsaSignature(message, signature, publicKey);
  });
}

/**
 * What no party can see: d of all three parts and, from it, the factors of N. e·d − 1 = 2^s·t is a
 * multiple of φ; for a random g, one of g^(t·2^i) is a root of 1 other than ±1 half of the time.
 */
export function revealKey(shares: Readonly<Record<PartyNumber, RsaKeyShare>>): {
  readonly n: bigint;
  readonly d: bigint;
  readonly p: bigint;
  readonly q: bigint;
} {
  const n = toBigInt(shares[1].modulus);
  const d = PARTY_NUMBERS.reduce((sum, party) => sum + toBigInt(shares[party].own), 0n);
  const multiple = d * BigInt(shares[1].publicExponent) - 1n;
  let odd = multiple;
  while (odd % 2n === 0n) odd /= 2n;
  for (let g = 2n; g < 100n; g += 1n) {
    for (let root = modPow(g, odd, n); root !== 1n; root = (root * root) % n) {
      if ((root * root) % n !== 1n || root === n - 1n) continue;
      const p = gcd(root - 1n, n);
      return { n, d, p, q: n / p };
    }
  }
  throw new Error('d does not factor N: it is no private exponent');
}

/** Why a revealed key is not what a generation promises; empty for a good one. */
export function faultsOf(
  shares: Readonly<Record<PartyNumber, RsaKeyShare>>,
  modulusBits: number,
): string[] {
  const { n, d, p, q } = revealKey(shares);
  const e = BigInt(shares[1].publicExponent);
  const lowest = 1n << BigInt(modulusBits - 1);
  const checks: Readonly<Record<string, boolean>> = {
    'p·q = N': p * q === n && p !== q,
    'p and q are prime': checkPrimeSync(p) && checkPrimeSync(q),
    'p and q are 3 modulo 4': p % 4n === 3n && q % 4n === 3n,
    // p² >= 2^(bits − 1) is p >= 2^(b − 1/2)
    'p and q are of full length': [p, q].every((factor) => factor * factor >= lowest),
    'N is of exact length': n >= lowest && n < 2n * lowest,
    'd·e = 1 modulo φ': (d * e) % ((p - 1n) * (q - 1n)) === 1n,
  };
  return Object.entries(checks).flatMap(([name, holds]) => (holds ? [] : [name]));
}
