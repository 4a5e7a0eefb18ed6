/** Two-party RSA over an opened share, in the form in which threads exchange it. */
import { randomBytes, type KeyObject } from 'node:crypto';
import { ByteReader, ByteWriter, toHex } from '@countersign/core/bytes.js';
import type { PartyNumber } from '@countersign/core/parties.js';
import { RSA_SCHEME_FORMS, saltBytes, type RsaScheme } from '../rsa/emsa.js';
import type { SigningModexp } from '../rsa/modexp.js';
import { RsaError } from '../rsa/rsa-error.js';
import { decodeRsaKeyShare, type RsaKeyShare } from '../rsa/rsa-key-share.js';
import { rsaPublicKey } from '../../threads/rsa-public-values.js';
import { leadCombine, partnerPartial } from '../rsa/threshold-rsa.js';
import type { LeadMathsInput, MathsInput, PartnerMathsInput } from '../../threads/thread-tasks.js';
import { MathsRefusal } from './maths-refusal.js';

const MAX_PUBLIC_KEYS = 1_000;

interface KnownPublicKey {
  readonly publicKey: KeyObject;
  /** Its SubjectPublicKeyInfo, DER. */
  readonly spki: Buffer;
}

/** What a thread keeps of the moduli it signs under. None of it is secret. */
export interface RsaModuli {
  readonly modexp: SigningModexp;
  /** By modulus and exponent. */
  readonly publicKeys: Map<string, KnownPublicKey>;
}

/** salt (with its length) ‖ partial (with its length). The partner draws the salt; nobody need trust it. */
export function rsaContribution(
  party: PartyNumber,
  opened: Uint8Array,
  input: PartnerMathsInput,
  moduli: RsaModuli,
): Uint8Array {
  const { share } = keyShareOf(party, opened, input, moduli);
  const scheme = rsaScheme(input.scheme);
  const salt = randomBytes(saltBytes(scheme));
  const partial = refusing(() =>
    partnerPartial({
      share,
      lead: input.leadParty as PartyNumber,
      message: { scheme, message: input.message, salt },
      modexp: moduli.modexp,
    }),
  );
  return Uint8Array.from(new ByteWriter().field(salt).field(partial).bytes());
}

/** The signature, as long as the modulus, verified. */
export function rsaSignature(
  party: PartyNumber,
  opened: Uint8Array,
  input: LeadMathsInput,
  moduli: RsaModuli,
): Uint8Array {
  const { share, publicKey } = keyShareOf(party, opened, input, moduli);
  const scheme = rsaScheme(input.scheme);
  const { salt, partial } = decodeContribution(input.contribution);
  if (salt.length !== saltBytes(scheme)) throw new MathsRefusal('partner-share');
  const signature = refusing(() =>
    leadCombine({
      share,
      partner: input.partnerParty as PartyNumber,
      partial,
      message: { scheme, message: input.message, salt },
      publicKey,
      modexp: moduli.modexp,
    }),
  );
  return Uint8Array.from(signature);
}

function decodeContribution(bytes: Uint8Array): { salt: Uint8Array; partial: Uint8Array } {
  try {
    const reader = new ByteReader(bytes);
    const contribution = { salt: reader.field(), partial: reader.field() };
    reader.end();
    return contribution;
  } catch (cause) {
    throw new MathsRefusal('partner-share', { cause });
  }
}

function keyShareOf(
  party: PartyNumber,
  opened: Uint8Array,
  { key }: MathsInput,
  { publicKeys }: RsaModuli,
): { share: RsaKeyShare; publicKey: KeyObject } {
  let share: RsaKeyShare;
  try {
    share = decodeRsaKeyShare(opened);
  } catch (cause) {
    throw new MathsRefusal('share', { cause });
  }
  if (share.party !== party) throw new MathsRefusal('share');
  const { publicKey, spki } = publicKeyOf(share, publicKeys);
  // the share must be of the key that the ledger names
  if (!spki.equals(key.publicKey)) throw new MathsRefusal('share');
  return { share, publicKey };
}

function publicKeyOf(share: RsaKeyShare, known: RsaModuli['publicKeys']): KnownPublicKey {
  const id = `${share.publicExponent} ${toHex(share.modulus)}`;
  const found = known.get(id);
  if (found !== undefined) return found;
  const publicKey = rsaPublicKey(share);
  const made = { publicKey, spki: publicKey.export({ format: 'der', type: 'spki' }) };
  if (known.size >= MAX_PUBLIC_KEYS) known.clear();
  known.set(id, made);
  return made;
}

function rsaScheme(scheme: string): RsaScheme {
  if (!Object.hasOwn(RSA_SCHEME_FORMS, scheme)) throw new MathsRefusal('fault');
  return scheme as RsaScheme;
}

/** Turns what the arithmetic throws into the reason for which an item is not signed. */
function refusing<T>(run: () => T): T {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof RsaError)) throw error;
    switch (error.code) {
      case 'own-share':
        throw new MathsRefusal('share', { cause: error });
      case 'partner-share':
        throw new MathsRefusal('partner-share', { cause: error });
      case 'invalid_input':
      case 'modexp':
        throw new MathsRefusal('fault', { cause: error });
    }
  }
}
