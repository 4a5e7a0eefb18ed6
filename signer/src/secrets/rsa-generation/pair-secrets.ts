/**
 * The two secrets that a party has in common with the two others, for one run. Everything random that
 * both of a pair must know comes from them, and they protect what one party tells one other.
 *
 * Secret k_j belongs to the holders of share j: k_1 to parties 1 and 3, k_2 to 1 and 2, k_3 to 2 and 3.
 */
import { hkdfSync } from 'node:crypto';
import { BOX_KEY_BYTES, BOX_NONCE_BYTES, openBox, sealBox } from '@countersign/core/aead-box.js';
import { ByteWriter } from '@countersign/core/bytes.js';
import { nextParty } from '@countersign/custody/import-package.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { PairStream } from './pair-stream.js';
import { mapReplicated, type Replicated } from './replicated.js';

const MESSAGE_DOMAIN = 'countersign rsa generation message v1';
const STREAM_DOMAIN = 'countersign rsa generation stream v1';

export class PairSecrets {
  readonly #party: PartyNumber;
  readonly #secrets: Replicated<Uint8Array>;

  /** `secrets`: 32 bytes each, fresh for this run. Kept, and wiped by `wipe`. */
  constructor(party: PartyNumber, secrets: Replicated<Uint8Array>) {
    this.#party = party;
    this.#secrets = secrets;
  }

  /** New streams for one purpose; asking twice for one `label` gives the same numbers again. */
  streams(label: string): Replicated<PairStream> {
    return mapReplicated(
      this.#secrets,
      (secret) => new PairStream(secret, `${STREAM_DOMAIN} ${label}`),
    );
  }

  /**
   * AES-256-GCM for one message to `to`: ciphertext ‖ tag. Key and nonce are derived for sender and tag,
   * so a tag is used for one message.
   */
  seal(to: PartyNumber, tag: string, plaintext: Uint8Array): Buffer {
    const { key, nonce } = this.#messageKey(to, tag, this.#party);
    return sealBox(key, nonce, plaintext);
  }

  /** Reverses `seal` of the other party. Throws when the message is not its own, for this tag. */
  open(from: PartyNumber, tag: string, sealed: Uint8Array): Buffer {
    const { key, nonce } = this.#messageKey(from, tag, from);
    return openBox(key, nonce, sealed);
  }

  wipe(): void {
    this.#secrets.own.fill(0);
    this.#secrets.next.fill(0);
  }

  #messageKey(peer: PartyNumber, tag: string, sender: PartyNumber): { key: Buffer; nonce: Buffer } {
    const secret = peer === nextParty(this.#party) ? this.#secrets.next : this.#secrets.own;
    const info = new ByteWriter().field(MESSAGE_DOMAIN).field(tag).u8(sender).bytes();
    const derived = Buffer.from(
      hkdfSync('sha256', secret, Buffer.alloc(32), info, BOX_KEY_BYTES + BOX_NONCE_BYTES),
    );
    return { key: derived.subarray(0, BOX_KEY_BYTES), nonce: derived.subarray(BOX_KEY_BYTES) };
  }
}
