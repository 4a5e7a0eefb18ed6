/**
 * Carries what one party says and hears during a run: messages to one, and broadcasts to both. It keeps a hash of all
 * broadcasts, so that nobody can tell the others different things.
 */
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import { ByteWriter } from '@countersign/core/bytes.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import { RsaGenerationError } from '../../threads/generation-error.js';
import type { PairSecrets } from './pair-secrets.js';
import type { ByParty } from './replicated.js';

/**
 * Carries messages between the parties. Whom a message is from must be authentic: a run trusts that, and
 * nothing else about its transport. Each pair of sender and tag occurs once; messages may arrive before
 * they are asked for. A message that does not come must make `receive` reject in the end.
 */
export interface GenerationTransport {
  send(to: PartyNumber, tag: string, bytes: Uint8Array): void | Promise<void>;
  receive(from: PartyNumber, tag: string): Promise<Uint8Array>;
}

/** A party that gives up sends it to both others: a transport then fails what it is waiting for. */
export const ABORT_TAG = 'abort';

const AGREEMENT_BYTES = 32;

export class GenerationChannel {
  readonly party: PartyNumber;
  readonly others: readonly PartyNumber[];
  readonly #transport: GenerationTransport;
  readonly #transcript = createHash('sha256');
  #secrets: PairSecrets | undefined;

  constructor(party: PartyNumber, transport: GenerationTransport) {
    this.party = party;
    this.others = PARTY_NUMBERS.filter((other) => other !== party);
    this.#transport = transport;
  }

  /** From here on `tell` and `hear` work. */
  useSecrets(secrets: PairSecrets): void {
    this.#secrets = secrets;
  }

  /** Sends to one party alone, encrypted: no process on the way learns it, not even its relay. */
  async tell(to: PartyNumber, tag: string, bytes: Uint8Array): Promise<void> {
    await this.#transport.send(to, tag, this.#pairSecrets().seal(to, tag, bytes));
  }

  /** Throws `RsaGenerationError` `malformed`, naming the sender. */
  async hear(from: PartyNumber, tag: string, length: number): Promise<Buffer> {
    const sealed = await this.#receive(from, tag);
    let bytes: Buffer;
    try {
      bytes = this.#pairSecrets().open(from, tag, sealed);
    } catch (cause) {
      throw malformed(from, tag, cause);
    }
    if (bytes.length !== length) throw malformed(from, tag);
    return bytes;
  }

  /**
   * Sends `bytes` to both others and gives what each party broadcast under `tag`, as far as this one saw.
   * `lengths`: bytes expected, of each. Throws `RsaGenerationError` `malformed`.
   */
  async broadcast(
    tag: string,
    bytes: Uint8Array,
    lengths: number | ByParty<number>,
  ): Promise<ByParty<Buffer>> {
    await Promise.all(this.others.map(async (to) => this.#transport.send(to, tag, bytes)));
    const hear = async (from: PartyNumber): Promise<Buffer> => {
      if (from === this.party) return Buffer.from(bytes);
      const heard = await this.#receive(from, tag);
      const length = typeof lengths === 'number' ? lengths : lengths[from];
      if (heard.length !== length) throw malformed(from, tag);
      return heard;
    };
    const [first, second, third] = await Promise.all([hear(1), hear(2), hear(3)]);
    const entry = new ByteWriter().field(tag).field(first).field(second).field(third);
    this.#transcript.update(entry.bytes());
    return { 1: first, 2: second, 3: third };
  }

  /** SHA-256 over all broadcasts so far: per broadcast its tag and three messages, each length-prefixed. */
  transcriptHash(): Buffer {
    return this.#transcript.copy().digest();
  }

  /**
   * Makes sure that all three saw the same broadcasts up to here. Throws `RsaGenerationError` `transcript` and names a
   * party whose hash differs: it lied, or was told something else.
   */
  async agree(tag: string): Promise<void> {
    const own = this.transcriptHash();
    const seen = await this.broadcast(tag, own, AGREEMENT_BYTES);
    const different = this.others.find((party) => !seen[party].equals(own));
    if (different === undefined) return;
    throw new RsaGenerationError('transcript', `party ${different} saw other broadcasts`, {
      party: different,
    });
  }

  /** Tells both others that this party gives up, as far as they can be reached. */
  async abort(): Promise<void> {
    await Promise.allSettled(
      this.others.map(async (to) => this.#transport.send(to, ABORT_TAG, new Uint8Array())),
    );
  }

  async #receive(from: PartyNumber, tag: string): Promise<Buffer> {
    const bytes = Buffer.from(await this.#transport.receive(from, tag));
    // lets timers and messages of this thread have their turn, even if every message is already here
    await setImmediate();
    return bytes;
  }

  #pairSecrets(): PairSecrets {
    if (this.#secrets === undefined) throw new Error('no pair secrets yet');
    return this.#secrets;
  }
}

export function malformed(party: PartyNumber, tag: string, cause?: unknown): RsaGenerationError {
  return new RsaGenerationError('malformed', `${tag} of party ${party}`, { party, cause });
}
