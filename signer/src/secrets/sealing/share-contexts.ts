/** What is sealed besides the shares of keys, and what each seal is bound to. */
import { RSA_SHARE_SCHEME } from '../../threads/rsa-public-values.js';
import type { ShareContext } from './share-seal.js';

/** Of an HPKE key for imports. */
export function recipientContext(party: number, recipientId: string): ShareContext {
  return {
    purpose: 'import recipient',
    keyId: recipientId,
    party,
    scheme: 'import-recipient-v1',
    version: 1,
  };
}

/** Of an RSA share made ahead. */
export function stockContext(party: number, stockId: string, version: number): ShareContext {
  return { purpose: 'stock share', keyId: stockId, party, scheme: RSA_SHARE_SCHEME, version };
}
