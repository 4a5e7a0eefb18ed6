import type { PartyNumber } from '@countersign/core/parties.js';

/**
 * What an RSA operation refused:
 *
 * - `invalid_input`: a value of the wrong shape, size or scheme;
 * - `modexp`: OpenSSL gave no usable power (its DH functions refuse the bases and results 0, 1 and N − 1);
 * - `own-share`: this party's own parts do not match their commitments, or do not give what they should;
 * - `partner-share`: the partner's partial is wrong, this party's own side having been checked.
 */
export type RsaErrorCode = 'invalid_input' | 'modexp' | 'own-share' | 'partner-share';

/** Raised by RSA operations outside key generation; messages never carry secret values. */
export class RsaError extends Error {
  readonly code: RsaErrorCode;
  /**
   * With `partner-share`, the party that the lead blames. The lead finds this for itself; it proves nothing to others.
   */
  readonly culprit: PartyNumber | undefined;

  constructor(
    code: RsaErrorCode,
    message: string,
    options: { culprit?: PartyNumber; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.name = 'RsaError';
    this.code = code;
    this.culprit = options.culprit;
  }
}
