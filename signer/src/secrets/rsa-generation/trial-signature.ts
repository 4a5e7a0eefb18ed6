/**
 * At the end of a run the parties make sure that both holders of each part of d hold the same. Every pair then signs
 * with the new key before anybody relies on it.
 */
import { nextParty, partCommitment } from '@countersign/custody/import-package.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import { saltBytes, type RsaMessage, type RsaScheme } from '../rsa/emsa.js';
import { SigningModexp } from '../rsa/modexp.js';
import { RsaError } from '../rsa/rsa-error.js';
import type { RsaKeyShare } from '../rsa/rsa-key-share.js';
import { rsaPublicKey, type PartCommitments } from '../../threads/rsa-public-values.js';
import { isRsaSignature, leadCombine, partnerPartial } from '../rsa/threshold-rsa.js';
import { coinBytes } from './coin-toss.js';
import type { GenerationChannel } from './generation-channel.js';
import { RsaGenerationError } from '../../threads/generation-error.js';
import { previousParty, type Replicated } from './replicated.js';

const COMMITMENT_BYTES = 32;
const TRIAL_SCHEME: RsaScheme = 'rsa_pkcs1_sha256';
const TRIAL_BYTES = 32;
const TRIAL_DOMAIN = 'countersign rsa trial signature v1';

/**
 * Broadcasts commitments to both own parts and returns those of all three parts. Throws `RsaGenerationError`
 * `commitment` when two holders of a part do not hold the same.
 */
export async function exchangeCommitments(
  channel: GenerationChannel,
  label: string,
  parts: Replicated<Uint8Array>,
): Promise<PartCommitments> {
  const { party } = channel;
  const message = Buffer.concat([
    partCommitment(party, parts.own),
    partCommitment(nextParty(party), parts.next),
  ]);
  const told = await channel.broadcast(`${label} commitments`, message, 2 * COMMITMENT_BYTES);
  const own = (one: PartyNumber): Buffer => told[one].subarray(0, COMMITMENT_BYTES);
  for (const one of PARTY_NUMBERS) {
    if (told[previousParty(one)].subarray(COMMITMENT_BYTES).equals(own(one))) continue;
    throw new RsaGenerationError('commitment', `two parties hold another part ${one}`);
  }
  return [own(1), own(2), own(3)];
}

/**
 * Each party leads once, with the next as partner, over a message of the coin's; all verify all three
 * signatures. Since both copies of every part are the same, the order within a pair makes no difference.
 * Throws `RsaGenerationError` `trial-signature`.
 */
export async function signTrials(
  channel: GenerationChannel,
  label: string,
  share: RsaKeyShare,
  coin: Uint8Array,
): Promise<void> {
  const { party } = channel;
  const length = share.modulus.length;
  const modexp = new SigningModexp(1);
  const publicKey = rsaPublicKey(share);
  const lead = previousParty(party);
  const partialTag = `${label} trial partial`;
  const partial = partnerPartial({ share, lead, message: trialMessage(coin, lead), modexp });
  await channel.tell(lead, partialTag, partial);

  const partner = nextParty(party);
  const fromPartner = await channel.hear(partner, partialTag, length);
  const signature = combineTrial(partner, () =>
    leadCombine({
      share,
      partner,
      partial: fromPartner,
      message: trialMessage(coin, party),
      publicKey,
      modexp,
    }),
  );
  const signatures = await channel.broadcast(`${label} trial signature`, signature, length);
  for (const one of PARTY_NUMBERS) {
    if (isRsaSignature(trialMessage(coin, one), signatures[one], publicKey)) continue;
    throw new RsaGenerationError('trial-signature', `trial signature of party ${one}`, {
      party: one,
    });
  }
}

/** The message has a domain of its own: what is signed here can be passed off for nothing else. */
function trialMessage(coin: Uint8Array, lead: PartyNumber): RsaMessage {
  const random = coinBytes(coin, `trial ${lead}`, TRIAL_BYTES);
  return {
    scheme: TRIAL_SCHEME,
    message: Buffer.concat([Buffer.from(TRIAL_DOMAIN), random]),
    salt: new Uint8Array(saltBytes(TRIAL_SCHEME)),
  };
}

function combineTrial(partner: PartyNumber, combine: () => Buffer): Buffer {
  try {
    return combine();
  } catch (cause) {
    if (!(cause instanceof RsaError)) throw cause;
    // it names no culprit: before the key has signed once, a wrong d explains a wrong product as well
    throw new RsaGenerationError('trial-signature', `no trial signature with party ${partner}`, {
      cause,
    });
  }
}
