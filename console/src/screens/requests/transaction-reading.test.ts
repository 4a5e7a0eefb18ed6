/** What an approver sees of a transaction is read from what is signed, and what is not known is not guessed. */
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { pendingRequest } from '@countersign/api/example-values.js';
import { solanaTransfer, STRANGER } from '../../../../test/support/solana-transfer.ts';
import type { RequestRecord } from './shown-record.js';
import { transactionIn, type TransactionReadHere } from './transaction-reading.js';

type GatewayFacts = NonNullable<RequestRecord['facts']>;

const WALLET = 'GfVcyD4kkTrj4bKc7WA9sZCin9JDbdT4Zkd3EittNR1W';
const OTHER = 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr';
const SOL = 'solana-mainnet/sol';

function asking(body: object, facts: Partial<GatewayFacts> = {}): RequestRecord {
  return {
    ...pendingRequest,
    content: {
      ...pendingRequest.content,
      path: `/v1/vaults/5b0d9c6e-8f41-4f0e-9c39-5f3a3c2d1e00/wallets/${WALLET}/sign`,
      body: Buffer.from(JSON.stringify(body)).toString('base64'),
    },
    facts: {
      operation: 'sign',
      user_id: pendingRequest.created_by,
      received_at: pendingRequest.created_at,
      undecidable: [],
      ...facts,
    },
  };
}

function readOf(body: object, facts: Partial<GatewayFacts> = {}): TransactionReadHere {
  const reading = transactionIn(asking(body, facts));
  if (reading === undefined || 'unreadable' in reading) throw new Error('it cannot be read');
  return reading;
}

const transfer = solanaTransfer({ source: WALLET, lamports: 1_500_000_000n });
const wire = (): Buffer => Buffer.from(transfer.transaction, 'base64');

/** The same transaction with other bytes where these stand last. */
function changed(before: Buffer, after: Buffer): { network_id: string; transaction: string } {
  const bytes = wire();
  after.copy(bytes, bytes.lastIndexOf(before));
  return { ...transfer, transaction: bytes.toString('base64') };
}

const TRANSFER_OF_IT = Buffer.from('02000000002f685900000000', 'hex');

describe('a transaction in a request', () => {
  it('shows what it moves, where to, and who pays', () => {
    const facts = { assets: [SOL], destinations: [STRANGER] };
    expect(readOf(transfer, facts)).toMatchObject({
      network: 'Solana',
      feePayer: WALLET,
      needsWallet: true,
      otherSigners: [],
      usesLookupTables: false,
      steps: [{ program: 'System', does: { moves: '1.5 SOL', to: STRANGER } }],
      differsIn: [],
    });
  });

  it('shows who else signs it, and a wallet that is no signer', () => {
    const paid = solanaTransfer({ source: WALLET, feePayer: OTHER });
    expect(readOf(paid)).toMatchObject({ feePayer: OTHER, otherSigners: [OTHER] });
    expect(readOf(solanaTransfer({ source: OTHER })).needsWallet).toBe(false);
  });

  it('does not guess at an instruction that it does not know', () => {
    const made = Buffer.from(TRANSFER_OF_IT);
    made.writeUInt32LE(3);
    const [step] = readOf(changed(TRANSFER_OF_IT, made)).steps;
    expect(step).toMatchObject({
      program: 'System',
      does: { unknownBecause: 'an instruction of it that is not read here' },
    });
  });

  it('does not guess at a program that it does not know', () => {
    const program = Buffer.alloc(32, 7);
    const [step] = readOf(changed(Buffer.alloc(32), program)).steps;
    expect(step).toMatchObject({
      program: undefined,
      does: { unknownBecause: 'a program that is not known here' },
    });
  });

  it.each([
    ['another destination', { destinations: [OTHER] }, ['destinations']],
    ['another asset', { assets: ['solana-mainnet/usdc'] }, ['assets']],
    ['one destination more', { destinations: [STRANGER, OTHER] }, ['destinations']],
    ['none', { assets: [], destinations: [] }, ['assets', 'destinations']],
    ['nothing of it', {}, []],
  ])('differs from a gateway that says %s', (_, facts, wanted) => {
    expect(readOf(transfer, facts).differsIn).toEqual(wanted);
  });

  it('differs from a gateway that says what cannot be read', () => {
    const unknown = changed(Buffer.alloc(32), Buffer.alloc(32, 7));
    expect(readOf(unknown, { assets: [SOL] }).differsIn).toEqual(['assets']);
    expect(readOf(unknown, { undecidable: ['assets', 'destinations'] }).differsIn).toEqual([]);
  });

  it.each([
    ['no text', { ...transfer, transaction: 7 }, 'it is not of the form that the vault takes'],
    ['not base64', { ...transfer, transaction: '!' }, 'it is not of the form that the vault takes'],
    [
      'base64 with a second reading',
      { ...transfer, transaction: `${transfer.transaction}\n` },
      'it is not of the form that the vault takes',
    ],
    [
      'of a network that nobody knows',
      { ...transfer, network_id: '__proto__' },
      'its network is not one that is known here',
    ],
    [
      'of another family',
      { ...transfer, network_id: 'near-mainnet' },
      'transactions of NEAR are not read here',
    ],
    [
      'cut short',
      { ...transfer, transaction: wire().subarray(0, -1).toString('base64') },
      'the bytes are not a complete legacy or version 0 transaction',
    ],
  ])('that is %s is said to be unreadable', (_, body, unreadable) => {
    expect(transactionIn(asking(body))).toEqual({ unreadable });
  });

  it('is looked for in a request for one alone', () => {
    expect(transactionIn(pendingRequest)).toBeUndefined();
  });

  it('never throws, whatever its bytes', () => {
    const bytes = fc.oneof(
      fc.uint8Array({ maxLength: 300 }),
      fc.tuple(fc.nat(wire().length - 1), fc.nat(255)).map(([at, value]) => {
        const some = wire();
        some[at] = value;
        return some;
      }),
    );
    fc.assert(
      fc.property(bytes, (some) => {
        const transaction = Buffer.from(some).toString('base64');
        expect(transactionIn(asking({ ...transfer, transaction }))).toBeDefined();
      }),
      { numRuns: 500, seed: 31 },
    );
  });
});
