/** Whether a text is an address in its canonical spelling: by the chain's own library, where that checks. */
import { isAddress } from '@solana/kit';
import { StrKey } from '@stellar/stellar-base';
import type { NetworkFamily } from '@countersign/core/vocabulary.js';

const PREFIXED = /^0x[0-9a-f]{64}$/;

const FORMS: Readonly<Record<NetworkFamily, (text: string) => boolean>> = {
  solana: isAddress,
  sui: (text) => PREFIXED.test(text),
  aptos: (text) => PREFIXED.test(text),
  stellar: (text) => StrKey.isValidEd25519PublicKey(text),
  near: (text) => /^[0-9a-f]{64}$/.test(text),
};

export function isAddressOf(family: NetworkFamily, address: string): boolean {
  return FORMS[family](address);
}
