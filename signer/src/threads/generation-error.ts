import type { PartyNumber } from '@countersign/core/parties.js';

/**
 * Why a generation ended without a key:
 *
 * - `invalid-input`: the options of this party;
 * - `setup`: the parties do not agree on the run, or two of them hold no common secret;
 * - `malformed`: a message of the wrong size or range, or one that does not open;
 * - `opening`: an opened value that honest parties cannot have made, or copies of it that differ;
 * - `product`: the opened modulus is not the product of the shared p and q;
 * - `biprimality`: the modulus is not the product of two primes;
 * - `exponent`: the shares of d do not add up;
 * - `commitment`: two holders of one part hold different ones;
 * - `coin`: a coin was revealed that is not the one committed to;
 * - `transcript`: the parties saw different broadcasts;
 * - `trial-signature`: a pair could not sign with the new key;
 * - `candidate-limit`: no modulus was found in the number of candidates allowed;
 * - `peer-aborted`: another party gave up;
 * - `stopped`: the run was ended from outside, or its thread died.
 */
export type RsaGenerationErrorCode =
  | 'invalid-input'
  | 'setup'
  | 'malformed'
  | 'opening'
  | 'product'
  | 'biprimality'
  | 'exponent'
  | 'commitment'
  | 'coin'
  | 'transcript'
  | 'trial-signature'
  | 'candidate-limit'
  | 'peer-aborted'
  | 'stopped';

/** Ends a generation at this party. Messages never carry secret values. */
export class RsaGenerationError extends Error {
  readonly code: RsaGenerationErrorCode;
  /** The party whose message showed the fault, if one did. Most faults cannot be laid at one party's door. */
  readonly party: PartyNumber | undefined;

  constructor(
    code: RsaGenerationErrorCode,
    message: string,
    options: { party?: PartyNumber; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'RsaGenerationError';
    this.code = code;
    this.party = options.party;
  }
}
