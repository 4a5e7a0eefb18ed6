/**
 * Finds what a Solana transaction moves, and to whom, as far as its instructions tell.
 *
 * Threat: an instruction that is not understood can move anything, also by calling other programs in turn. So only
 * instructions on a short list are read: those that move what they say and nothing else. Any other, and any account
 * that a lookup table gives, makes the whole transaction unread. Fees are not among the movements: they go to
 * validators, and whoever sends the transaction chooses them within the fee payer's balance.
 *
 * Layouts: System program (https://docs.rs/solana-system-interface, `SystemInstruction`: u32 LE tag), Token program
 * (https://docs.rs/spl-token, `TokenInstruction`: u8 tag).
 */
import type { SolanaInstruction } from './solana-transaction.js';
import { findNetwork } from './network-catalogue.js';

const SYSTEM = '11111111111111111111111111111111';
const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const COMPUTE_BUDGET = 'ComputeBudget111111111111111111111111111111';
const MEMOS = [
  'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
  'Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo',
];
/** These change no balance except by the fee. */
const MOVE_NOTHING = new Set([COMPUTE_BUDGET, ...MEMOS]);

/** What people call the programs of which instructions are read here. */
const PROGRAM_NAMES: ReadonlyMap<string, string> = new Map([
  [SYSTEM, 'System'],
  [TOKEN, 'Token'],
  [COMPUTE_BUDGET, 'Compute Budget'],
  ...MEMOS.map((id) => [id, 'Memo'] as const),
]);

/** Undefined for every other program. */
export function solanaProgramName(programId: string): string | undefined {
  return PROGRAM_NAMES.get(programId);
}

const SYSTEM_TRANSFER = 2;
const SYSTEM_ADVANCE_NONCE = 4;
const TOKEN_TRANSFER = 3;
const TOKEN_TRANSFER_CHECKED = 12;

export interface Movement {
  /**
   * Every name of the moved asset: `{network id}/{asset id}` of the catalogue and `{network id}/{contract}`. Empty if
   * the transaction does not tell.
   */
  readonly assets: readonly string[];
  /** The credited address; for a token, a token account. */
  readonly destination: string;
  /** In smallest units. */
  readonly amount: bigint;
}

export interface TransactionFacts {
  readonly movements: readonly Movement[];
  /** Why other movements are unknown, public text; undefined when the movements are all. */
  readonly unread?: string | undefined;
}

export function solanaMovements(
  networkId: string,
  instructions: readonly SolanaInstruction[],
): TransactionFacts {
  const movements: Movement[] = [];
  for (const [index, instruction] of instructions.entries()) {
    const read = readSolanaInstruction(networkId, instruction);
    if (read === undefined) {
      return { movements, unread: `instruction ${index} is not one that the vault can read` };
    }
    if (read !== 'nothing') movements.push(read);
  }
  return { movements };
}

/** What one instruction moves; undefined where it is not one that is read, which can move anything. */
export function readSolanaInstruction(
  networkId: string,
  instruction: SolanaInstruction,
): Movement | 'nothing' | undefined {
  const { programId } = instruction;
  if (MOVE_NOTHING.has(programId)) return 'nothing';
  if (programId === SYSTEM) return readSystem(networkId, instruction);
  return programId === TOKEN ? readToken(networkId, instruction) : undefined;
}

function readSystem(
  networkId: string,
  { accounts, data }: SolanaInstruction,
): Movement | 'nothing' | undefined {
  const view = viewOf(data);
  // custody waits longer for approvals than a blockhash lasts; docs/explanation/threats.md tells the price
  if (data.length === 4 && view.getUint32(0, true) === SYSTEM_ADVANCE_NONCE) return 'nothing';
  const destination = accounts[1];
  const isTransfer =
    data.length === 12 && view.getUint32(0, true) === SYSTEM_TRANSFER && accounts.length === 2;
  if (!isTransfer || destination === undefined) return undefined;
  return { assets: nativeAsset(networkId), destination, amount: view.getBigUint64(4, true) };
}

function readToken(networkId: string, { accounts, data }: SolanaInstruction): Movement | undefined {
  const tag = data[0];
  if (tag === TOKEN_TRANSFER_CHECKED && data.length === 10) {
    const [, mint, destination] = accounts;
    if (mint === undefined || destination === undefined) return undefined;
    const amount = viewOf(data).getBigUint64(1, true);
    return { assets: tokenAsset(networkId, mint), destination, amount };
  }
  if (tag === TOKEN_TRANSFER && data.length === 9) {
    const destination = accounts[1];
    if (destination === undefined) return undefined;
    return { assets: [], destination, amount: viewOf(data).getBigUint64(1, true) };
  }
  return undefined;
}

function nativeAsset(networkId: string): string[] {
  return assetsOf(networkId).flatMap(({ id, is_native }) => (is_native ? [id] : []));
}

function tokenAsset(networkId: string, mint: string): string[] {
  const listed = assetsOf(networkId).flatMap(({ id, contract }) => (contract === mint ? [id] : []));
  return [...listed, `${networkId}/${mint}`];
}

function assetsOf(networkId: string) {
  return findNetwork(networkId)?.assets ?? [];
}

function viewOf(data: Uint8Array): DataView {
  return new DataView(data.buffer, data.byteOffset, data.byteLength);
}
