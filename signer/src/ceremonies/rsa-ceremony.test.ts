import { describe, expect, it } from '@jest/globals';
import { RsaGenerationError } from '../threads/generation-error.js';
import type { RsaGenerationErrorCode } from '../threads/generation-error.js';
import { isProtocolFault } from './rsa-ceremony.js';

/** Whether a run that ended so was spoiled by a party. A new code has to be put on one side. */
const IS_FAULT: Readonly<Record<RsaGenerationErrorCode, boolean>> = {
  'invalid-input': false,
  setup: false,
  'peer-aborted': false,
  stopped: false,
  malformed: true,
  opening: true,
  product: true,
  biprimality: true,
  exponent: true,
  commitment: true,
  coin: true,
  transcript: true,
  'trial-signature': true,
  'candidate-limit': true,
};

describe('a run that ended', () => {
  it.each(Object.entries(IS_FAULT) as [RsaGenerationErrorCode, boolean][])(
    'by %s: whether it counts as spoiled is %s',
    (code, isFault) => {
      expect(isProtocolFault(new RsaGenerationError(code, 'as a test says'))).toBe(isFault);
    },
  );

  it('by a defect of this process, whatever it calls itself, does not', () => {
    const disguised = Object.assign(new Error('malformed'), { code: 'malformed' });
    for (const error of [disguised, new TypeError('x'), 'malformed', undefined]) {
      expect(isProtocolFault(error)).toBe(false);
    }
  });
});
