/**
 * What a FROST step refused:
 *
 * - `invalid_input`: a value of the wrong shape, or a set of signers that cannot sign together;
 * - `invalid_commitment`: a nonce commitment that is not two canonical points of prime order;
 * - `spent_nonce`: the secret nonces were used or wiped before;
 * - `invalid_share`: signature shares that do not add up to a signature;
 * - `invalid_package`: a key generation message that is malformed or does not check out.
 */
export type FrostErrorCode =
  | 'invalid_input'
  | 'invalid_commitment'
  | 'spent_nonce'
  | 'invalid_share'
  | 'invalid_package';

/** Raised by every FROST operation; messages never carry secret values. */
export class FrostError extends Error {
  readonly code: FrostErrorCode;
  /** Participants shown to have sent the bad value; empty when that cannot be told. */
  readonly culprits: readonly number[];

  constructor(
    code: FrostErrorCode,
    message: string,
    options: { culprits?: readonly number[]; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'FrostError';
    this.code = code;
    this.culprits = options.culprits ?? [];
  }
}
