/** Outcomes as the parties of a vault prove them, and as a party that lies makes them up. */
import { generateKeyPairSync, randomBytes, sign, type KeyObject } from 'node:crypto';
import type { ReceiptTrust } from '@countersign/api/receipt.js';
import { createVerifyParty, plantTree, type TreeProof } from '@countersign/api/signed-tree.js';
import type { Bytes } from '@countersign/core/bytes.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import {
  leadLeaf,
  partnerLeaf,
  retryMessage,
  type DeniedOutcome,
  type RecordedOutcome,
  type SignReply,
  type Unproven,
} from '@countersign/runtime/jobs/sign-outcome.js';

/** Whoever signs in the names of parties. */
export interface Prover {
  readonly genesisHash: string;
  sign(party: PartyNumber, message: Bytes): Buffer;
}

export interface ProvingParties extends Prover {
  /** As a genesis names them: `identityPublicKey` in base64. */
  readonly parties: readonly { readonly party: PartyNumber; readonly identityPublicKey: string }[];
  readonly trust: ReceiptTrust;
}

export function createProvingParties(): ProvingParties {
  const genesisHash = randomBytes(32).toString('hex');
  const pairs = new Map<PartyNumber, { publicKey: KeyObject; privateKey: KeyObject }>(
    PARTY_NUMBERS.map((party) => [party, generateKeyPairSync('ed25519')]),
  );
  const parties = PARTY_NUMBERS.map((party) => ({
    party,
    identityPublicKey: rawPublicKey(pairs.get(party)!.publicKey).toString('base64'),
  }));
  return {
    genesisHash,
    parties,
    trust: { genesisHash, verifyParty: createVerifyParty(parties) },
    sign: (party, message) => sign(null, message, pairs.get(party)!.privateKey),
  };
}

/** 32 bytes. */
export function rawPublicKey(publicKey: KeyObject): Buffer {
  return Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url');
}

/** Who signs for lead and partner: themselves, unless the test has somebody lie. */
export type Signers = readonly [PartyNumber, PartyNumber];

/** Both parties' trees over all of the outcomes of a batch, with each its proofs. All have the same pair. */
export function proveAll<Outcome extends RecordedOutcome>(
  outcomes: readonly Unproven<Outcome>[],
  vault: Prover,
  signers?: Signers,
): Outcome[] {
  const [lead, partner] = pairOf(outcomes[0]!);
  const [leadSigner, partnerSigner] = signers ?? [lead, partner];
  const leads = treeOf(lead, outcomes.map(leadLeaf), leadSigner, vault);
  const partners = treeOf(partner, outcomes.map(partnerLeaf), partnerSigner, vault);
  return outcomes.map((outcome, index) => {
    const proofs = [leads(index), partners(index)] as const;
    return { ...outcome, proofs } as unknown as Outcome;
  });
}

export function prove<Outcome extends RecordedOutcome>(
  outcome: Unproven<Outcome>,
  vault: Prover,
  signers?: Signers,
): Outcome {
  return proveAll<Outcome>([outcome], vault, signers)[0]!;
}

function pairOf(outcome: Unproven): Signers {
  return outcome.outcome === 'signed' ? outcome.receipt.parties : outcome.parties;
}

function treeOf(
  party: PartyNumber,
  leaves: readonly Bytes[],
  signer: PartyNumber,
  { genesisHash, sign }: Prover,
): (index: number) => TreeProof {
  const tree = plantTree(party, leaves, genesisHash);
  const signature = sign(signer, tree.message);
  return (index) => tree.proofOf(index, signature);
}

export function denied(
  { requestId, submission }: { readonly requestId: string; readonly submission: string },
  vault: Prover,
  more: Partial<Unproven<DeniedOutcome>> & { readonly signers?: Signers } = {},
): DeniedOutcome {
  const { signers, ...fields } = more;
  const outcome: Unproven<DeniedOutcome> = {
    outcome: 'denied',
    submission,
    requestId,
    parties: [1, 2],
    errType: 'forbidden',
    reason: 'as a test says',
    ...fields,
  };
  return prove<DeniedOutcome>(outcome, vault, signers);
}

/** The reply with what its lead says of the items to be tried again. */
export function signedReply(
  reply: Omit<SignReply, 'retrySignature'>,
  vault: Prover,
  signer: PartyNumber,
): SignReply {
  return { ...reply, retrySignature: vault.sign(signer, retryMessage(reply, vault.genesisHash)) };
}
