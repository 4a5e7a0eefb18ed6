import { describe, expect, it } from '@jest/globals';
import { solanaMovements } from './solana-movements.js';

const SYSTEM = '11111111111111111111111111111111';
const TOKEN = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v';
const bytes = (hex: string) => Uint8Array.from(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
const read = (...instructions: Parameters<typeof solanaMovements>[1]) =>
  solanaMovements('solana-mainnet', instructions);

const transfer = {
  programId: SYSTEM,
  accounts: ['from', 'to'],
  data: bytes('02000000 8813000000000000'),
};
const usdc = {
  programId: TOKEN,
  accounts: ['source', USDC, 'theirs', 'owner'],
  data: bytes('0c 40420f0000000000 06'),
};

describe('the movements of a transaction', () => {
  it('are its transfers, by every name of what is moved', () => {
    const memo = {
      programId: 'MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr',
      accounts: [],
      data: bytes('6869'),
    };
    expect(read(transfer, memo, usdc)).toEqual({
      movements: [
        { assets: ['solana-mainnet/sol'], destination: 'to', amount: 5000n },
        {
          assets: ['solana-mainnet/usdc', `solana-mainnet/${USDC}`],
          destination: 'theirs',
          amount: 1_000_000n,
        },
      ],
    });
  });

  it('are told beside a durable nonce, which docs/explanation/threats.md warns of', () => {
    const advance = {
      programId: SYSTEM,
      accounts: ['nonce', 'recent blockhashes', 'authority'],
      data: bytes('04000000'),
    };
    expect(read(advance, transfer)).toEqual({
      movements: [{ assets: ['solana-mainnet/sol'], destination: 'to', amount: 5000n }],
    });
  });

  it('of a token that the catalogue does not list are named by its contract, and without one by nothing', () => {
    const other = { ...usdc, accounts: ['source', 'mint', 'theirs', 'owner'] };
    expect(read(other).movements[0]?.assets).toEqual(['solana-mainnet/mint']);
    const unnamed = {
      programId: TOKEN,
      accounts: ['source', 'theirs', 'owner'],
      data: bytes('03 40420f0000000000'),
    };
    expect(read(unnamed).movements).toEqual([
      { assets: [], destination: 'theirs', amount: 1_000_000n },
    ]);
  });

  it.each([
    ['another program', { ...transfer, programId: 'Some1111111111111111111111111111111111111' }],
    ['another instruction', { ...transfer, data: bytes('01000000 8813000000000000') }],
    ['a longer instruction', { ...transfer, data: bytes('02000000 8813000000000000 00') }],
    ['a truncated instruction', { ...transfer, data: bytes('0200') }],
    ['an account of a lookup table', { ...transfer, accounts: ['from', undefined] }],
    ['too few accounts', { ...usdc, accounts: ['source'] }],
    ['an approval of a delegate', { ...usdc, data: bytes('04 40420f0000000000') }],
    ['a closed token account', { ...usdc, data: bytes('09') }],
    ['no instruction data', { ...usdc, data: bytes('') }],
  ])('cannot be told beside %s', (_what, instruction) => {
    expect(read(transfer, instruction).unread).toBe(
      'instruction 1 is not one that the vault can read',
    );
  });
});
