/**
 * Strict reader for Solana wire transactions: what a party decodes before it signs, and where the finished
 * signature goes.
 *
 * Threat: the bytes come from whoever asks for a signature. A policy decides on the decoded view, the
 * network executes the bytes, and any difference between the two is a way around the policy. So only
 * bytes with exactly one reading are decoded: parsing must consume every byte, encoding the result must
 * give the same bytes back, and every index must point at something. What the network would refuse is
 * refused here too.
 *
 * Wire form (https://solana.com/docs/core/transactions): compact array of 64-byte signatures, an all-zero
 * one meaning "not signed yet", then the message. The signed bytes are the message as it is. Accounts of
 * the message start with the required signers, of which the first pays the fee.
 *
 * Version 1 transactions (messages first, up to 4096 bytes) are not decoded.
 */
import {
  getCompiledTransactionMessageDecoder,
  getCompiledTransactionMessageEncoder,
  type LegacyCompiledTransactionMessage,
  type V0CompiledTransactionMessage,
} from '@solana/transaction-messages';
import { getTransactionDecoder, getTransactionEncoder } from '@solana/transactions';

/** What fits in one packet: IPv6's smallest packet of 1280 bytes less its headers. */
const MAX_WIRE_BYTES = 1232;
const SIGNATURE_BYTES = 64;
/** Instructions name accounts by one byte. */
const MAX_ACCOUNTS = 256;

// Codecs keep no state between calls, and building them costs as much as decoding a small transaction.
const transactionDecoder = getTransactionDecoder();
const transactionEncoder = getTransactionEncoder();
const messageDecoder = getCompiledTransactionMessageDecoder();
const messageEncoder = getCompiledTransactionMessageEncoder();

export interface DecodedSolanaTransaction {
  outcome: 'decoded';
  /** The signed bytes, in memory of their own. */
  message: Uint8Array;
  /** Addresses (base58) in the order of their signature slots; the first is the fee payer. */
  requiredSigners: string[];
  /** One per required signer, 64 bytes each, unverified; undefined when nobody signed yet. */
  signatures: (Uint8Array | undefined)[];
  version: 'legacy' | 0;
  feePayer: string;
  /**
   * The program of each instruction, in order, repeats kept: the length is the number of instructions.
   * Empty when there are no instructions, so "every program is allowed" must not be read as a yes.
   * Programs that these call in turn are not visible in a message.
   */
  programIds: string[];
  /** In order, as many as {@link programIds}. */
  instructions: SolanaInstruction[];
  /** True when accounts come from tables on chain: then the message does not say who is paid. */
  usesLookupTables: boolean;
}

export interface SolanaInstruction {
  programId: string;
  /** Addresses in the order in which the program takes them; undefined for one that a lookup table gives. */
  accounts: (string | undefined)[];
  /** In memory of their own. */
  data: Uint8Array;
}

export interface UndecodableSolanaTransaction {
  outcome: 'undecodable';
  /** English, without any of the input; fit for the requester and for the audit log. */
  reason: string;
}

type CompiledMessage = LegacyCompiledTransactionMessage | V0CompiledTransactionMessage;

interface ParsedTransaction {
  messageBytes: Uint8Array;
  message: CompiledMessage;
  /** Keyed by signer address; null when nobody signed yet. */
  signatures: Readonly<Record<string, Uint8Array | null>>;
}

/**
 * Decodes a complete wire transaction, legacy or version 0, strictly.
 *
 * Never throws, whatever the bytes. Signatures already present are reported, not verified.
 *
 * @param wire the transaction as it would be sent to the network; not kept and not changed
 */
export function decodeSolanaTransaction(
  wire: Uint8Array,
): DecodedSolanaTransaction | UndecodableSolanaTransaction {
  if (wire.length > MAX_WIRE_BYTES) {
    return undecodable(`the transaction is longer than ${MAX_WIRE_BYTES} bytes`);
  }
  // A copy, so that neither the checks nor the result depend on memory that others can change.
  const parsed = parseExactly(Uint8Array.from(wire));
  if (parsed === undefined) {
    return undecodable('the bytes are not a complete legacy or version 0 transaction');
  }
  const defect = findDefect(parsed);
  return defect === undefined ? describe(parsed) : undecodable(defect);
}

/**
 * Puts one signature into its signer's slot and leaves every other byte as it is. A signature already
 * there is replaced. The signature is not verified.
 *
 * @param wire a transaction that `decodeSolanaTransaction` decodes
 * @param signerAddress base58
 * @param signature Ed25519, 64 bytes
 * @returns a new wire transaction
 * @throws TypeError when the transaction is undecodable
 * @throws RangeError when the signature does not have 64 bytes, or the address is no required signer
 */
export function attachSolanaSignature(
  wire: Uint8Array,
  signerAddress: string,
  signature: Uint8Array,
): Uint8Array {
  if (signature.length !== SIGNATURE_BYTES) {
    throw new RangeError(`an Ed25519 signature has ${SIGNATURE_BYTES} bytes`);
  }
  const decoded = decodeSolanaTransaction(wire);
  if (decoded.outcome === 'undecodable') {
    throw new TypeError(`cannot attach a signature: ${decoded.reason}`);
  }
  const slot = decoded.requiredSigners.indexOf(signerAddress);
  if (slot === -1) {
    throw new RangeError('the address is not a required signer of this transaction');
  }
  const signed = Uint8Array.from(wire);
  // Counted from the message backwards, so that the width of the signature count does not matter.
  const slotsFromEnd = decoded.requiredSigners.length - slot;
  signed.set(signature, wire.length - decoded.message.length - slotsFromEnd * SIGNATURE_BYTES);
  return signed;
}

/**
 * Parses with the chain's library; undefined unless the bytes have one reading and this is it.
 *
 * The library alone is lenient: it ignores trailing bytes, reads a missing last array as an empty one, and
 * accepts over-long forms of a count. Encoding again and comparing refuses all three.
 */
function parseExactly(wire: Uint8Array): ParsedTransaction | undefined {
  try {
    const { messageBytes, signatures } = transactionDecoder.decode(wire);
    const [message, end] = messageDecoder.read(messageBytes, 0);
    if (message.version === 1 || end !== messageBytes.length) {
      return undefined;
    }
    const isCanonical =
      sameBytes(messageEncoder.encode(message), messageBytes) &&
      sameBytes(transactionEncoder.encode({ messageBytes, signatures }), wire);
    return isCanonical
      ? { messageBytes: Uint8Array.from(messageBytes), message, signatures }
      : undefined;
  } catch {
    // The library's only way to say that bytes do not parse is to throw; its texts quote the input.
    return undefined;
  }
}

function sameBytes(left: ArrayLike<number>, right: ArrayLike<number>): boolean {
  if (left.length !== right.length) {
    return false;
  }
  for (let index = 0; index < left.length; index += 1) {
    if (left[index] !== right[index]) {
      return false;
    }
  }
  return true;
}

/** The first rule of the network that the message breaks, in words; undefined when it keeps them all. */
function findDefect({ message, signatures }: ParsedTransaction): string | undefined {
  return (
    findHeaderDefect(message, Object.keys(signatures).length) ??
    findAccountDefect(message) ??
    findInstructionDefect(message)
  );
}

function findHeaderDefect(
  { header, staticAccounts }: CompiledMessage,
  signatureSlots: number,
): string | undefined {
  const { numSignerAccounts, numReadonlySignerAccounts, numReadonlyNonSignerAccounts } = header;
  if (numSignerAccounts !== signatureSlots) {
    return 'the number of signatures differs from the number of required signers';
  }
  // The fee payer is charged, so at least one signer is writable.
  if (numReadonlySignerAccounts >= numSignerAccounts) {
    return 'no signer can pay the fee';
  }
  if (numSignerAccounts + numReadonlyNonSignerAccounts > staticAccounts.length) {
    return 'the header counts more accounts than there are';
  }
  return undefined;
}

function findAccountDefect(message: CompiledMessage): string | undefined {
  const lookups = lookupsOf(message);
  const loaded = lookups.map(({ lookupTableAddress, writableIndexes, readonlyIndexes }) =>
    [...writableIndexes, ...readonlyIndexes].map((index) => `${lookupTableAddress}/${index}`),
  );
  if (loaded.some((entries) => entries.length === 0)) {
    return 'a lookup table is named but nothing is loaded from it';
  }
  const accounts = [...message.staticAccounts, ...loaded.flat()];
  if (accounts.length > MAX_ACCOUNTS) {
    return `there are more than ${MAX_ACCOUNTS} accounts`;
  }
  if (new Set(accounts).size !== accounts.length) {
    return 'an account is listed twice';
  }
  return undefined;
}

function findInstructionDefect(message: CompiledMessage): string | undefined {
  const programLimit = message.staticAccounts.length;
  const accountLimit = programLimit + countLoadedAccounts(message);
  for (const { programAddressIndex, accountIndices = [] } of message.instructions) {
    // A program from a lookup table could not be named to a policy; the network refuses it as well.
    if (programAddressIndex >= programLimit) {
      return 'a program is not among the accounts of the message';
    }
    if (programAddressIndex === 0) {
      return 'the fee payer is called as a program';
    }
    if (accountIndices.some((index) => index >= accountLimit)) {
      return 'an instruction uses an account that is not there';
    }
  }
  return undefined;
}

function lookupsOf(
  message: CompiledMessage,
): NonNullable<V0CompiledTransactionMessage['addressTableLookups']> {
  return message.version === 0 ? (message.addressTableLookups ?? []) : [];
}

function countLoadedAccounts(message: CompiledMessage): number {
  return lookupsOf(message).reduce(
    (count, table) => count + table.writableIndexes.length + table.readonlyIndexes.length,
    0,
  );
}

/** Only for transactions without a defect: every index is known to be good. */
function describe({
  messageBytes,
  message,
  signatures,
}: ParsedTransaction): DecodedSolanaTransaction {
  const { staticAccounts, header, instructions, version } = message;
  const requiredSigners = staticAccounts.slice(0, header.numSignerAccounts);
  return {
    outcome: 'decoded',
    message: messageBytes,
    requiredSigners,
    signatures: requiredSigners.map((signer) => signatures[signer] ?? undefined),
    version,
    feePayer: accountAt(staticAccounts, 0),
    programIds: instructions.map(({ programAddressIndex }) =>
      accountAt(staticAccounts, programAddressIndex),
    ),
    instructions: instructions.map(({ programAddressIndex, accountIndices = [], data = [] }) => ({
      programId: accountAt(staticAccounts, programAddressIndex),
      accounts: accountIndices.map((index) => staticAccounts[index]),
      data: Uint8Array.from(data),
    })),
    usesLookupTables: lookupsOf(message).length > 0,
  };
}

function accountAt(accounts: readonly string[], index: number): string {
  const account = accounts[index];
  if (account === undefined) {
    throw new RangeError('account index out of bounds');
  }
  return account;
}

function undecodable(reason: string): UndecodableSolanaTransaction {
  return { outcome: 'undecodable', reason };
}
