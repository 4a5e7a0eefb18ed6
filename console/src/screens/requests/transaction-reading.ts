/**
 * The transaction in a request, read in the page from the very bytes that an approval is for, by the reader that parties
 * go by: whatever the gateway says of it. What that reader does not know is said to be unknown, and never guessed.
 */
import { coinsMoved } from '@countersign/chains/moved-coins.js';
import { findNetwork } from '@countersign/chains/network-catalogue.js';
import {
  readSolanaInstruction,
  solanaProgramName,
  type Movement,
} from '@countersign/chains/solana-movements.js';
import {
  decodeSolanaTransaction,
  type DecodedSolanaTransaction,
  type SolanaInstruction,
} from '@countersign/chains/solana-transaction.js';
import { askedIn, signerOf } from './request-content.js';
import type { RequestRecord } from './shown-record.js';

export interface TransactionReadHere {
  /** As the list of networks names it. */
  readonly network: string;
  readonly feePayer: string;
  /** Whether the wallet that is asked is one of those whose signatures the transaction needs. */
  readonly needsWallet: boolean;
  readonly otherSigners: readonly string[];
  /** Accounts come from tables on chain: the transaction does not say which. */
  readonly usesLookupTables: boolean;
  readonly steps: readonly InstructionRead[];
  /** What the gateway says otherwise of it than this page reads: empty for an honest one. */
  readonly differsIn: readonly string[];
}

/** One instruction. */
export interface InstructionRead {
  readonly programId: string;
  /** Undefined: a program that is not known here. */
  readonly program: string | undefined;
  readonly does:
    | { readonly moves: string; readonly to: string }
    | { readonly movesNothing: string }
    /** It may move anything. */
    | { readonly unknownBecause: string };
}

export type TransactionRead = TransactionReadHere | { readonly unreadable: string };

/** Undefined where no transaction is in it. Never throws, whatever the bytes. */
export function transactionIn(record: RequestRecord): TransactionRead | undefined {
  const { transaction, network_id: networkId } = askedIn(record);
  if (transaction === undefined) return undefined;
  const wire = bytesOf(transaction);
  const network = typeof networkId === 'string' ? findNetwork(networkId) : undefined;
  if (wire === undefined) return { unreadable: 'it is not of the form that the vault takes' };
  if (network === undefined) return { unreadable: 'its network is not one that is known here' };
  if (network.family !== 'solana') {
    return { unreadable: `transactions of ${network.display_name} are not read here` };
  }
  const decoded = decodeSolanaTransaction(wire);
  if (decoded.outcome === 'undecodable') return { unreadable: decoded.reason };
  return readingOf(record, decoded, network);
}

function readingOf(
  record: RequestRecord,
  decoded: DecodedSolanaTransaction,
  network: { readonly id: string; readonly display_name: string },
): TransactionReadHere {
  const { feePayer, requiredSigners, usesLookupTables, instructions } = decoded;
  const signer = record.content && signerOf(record.content);
  const wallet = signer !== undefined && 'address' in signer ? signer.address : undefined;
  const moved = instructions.map((one) => readSolanaInstruction(network.id, one));
  return {
    network: network.display_name,
    feePayer,
    needsWallet: wallet !== undefined && requiredSigners.includes(wallet),
    otherSigners: requiredSigners.filter((one) => one !== wallet),
    usesLookupTables,
    steps: instructions.map((one, place) => stepOf(one, moved[place])),
    differsIn: differences(record.facts, moved),
  };
}

/** Base64 with exactly one reading. */
function bytesOf(transaction: unknown): Uint8Array | undefined {
  if (typeof transaction !== 'string') return undefined;
  const bytes = Buffer.from(transaction, 'base64');
  return bytes.toString('base64') === transaction ? Uint8Array.from(bytes) : undefined;
}

type InstructionMoves = ReturnType<typeof readSolanaInstruction>;

function stepOf(instruction: SolanaInstruction, moves: InstructionMoves): InstructionRead {
  const { programId } = instruction;
  const program = solanaProgramName(programId);
  return { programId, program, does: deedOf(instruction, program, moves) };
}

function deedOf(
  { data }: SolanaInstruction,
  program: string | undefined,
  moves: InstructionMoves,
): InstructionRead['does'] {
  if (moves === 'nothing') {
    const words = program === 'Memo' ? `a note: “${Buffer.from(data).toString('utf8')}”` : '';
    return { movesNothing: words };
  }
  if (moves !== undefined) return { moves: amountOf(moves), to: moves.destination };
  return {
    unknownBecause:
      program === undefined
        ? 'a program that is not known here'
        : 'an instruction of it that is not read here',
  };
}

/** `1.5 SOL`; of what the list of networks does not have, the smallest units, of which nobody says how many make a coin. */
function amountOf(movement: Movement): string {
  const coins = coinsMoved(movement);
  if (coins !== undefined) return `${withoutEndZeros(coins.amount)} ${coins.asset}`;
  const [token] = movement.assets;
  const which =
    token === undefined
      ? 'a token that the transaction does not name'
      : `the token ${token.slice(token.indexOf('/') + 1)}`;
  return `${movement.amount} smallest units of ${which}`;
}

function withoutEndZeros(amount: string): string {
  return amount.includes('.') ? amount.replace(/\.?0+$/, '') : amount;
}

/** The gateway says which assets move and where to, or that it cannot. */
function differences(
  told: RequestRecord['facts'],
  moved: readonly InstructionMoves[],
): readonly string[] {
  if (told === undefined) return [];
  const isRead = moved.every((one) => one !== undefined);
  const movements = moved.filter((one) => typeof one === 'object');
  const pairs: Readonly<Record<string, readonly [readonly string[] | undefined, string[]]>> = {
    assets: [told.assets, movements.flatMap(({ assets }) => assets)],
    destinations: [told.destinations, movements.map(({ destination }) => destination)],
  };
  return Object.entries(pairs)
    .filter(([, [said, found]]) => said !== undefined && !(isRead && haveSame(said, found)))
    .map(([name]) => name);
}

function haveSame(said: readonly string[], found: readonly string[]): boolean {
  const [one, other] = [new Set(said), new Set(found)];
  return one.size === other.size && said.every((word) => other.has(word));
}
