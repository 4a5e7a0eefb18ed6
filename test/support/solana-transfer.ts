import {
  AccountRole,
  address,
  appendTransactionMessageInstructions,
  blockhash,
  compileTransaction,
  createTransactionMessage,
  getTransactionEncoder,
  pipe,
  setTransactionMessageFeePayer,
  setTransactionMessageLifetimeUsingBlockhash,
} from '@solana/kit';

/** Where it goes. */
export const STRANGER = address('4uQeVj5tqViQh7yWWGStvkEG1Zmhx6uasJtWCJziofM');

/** The body of a request to sign a transfer of SOL to a stranger, which its source pays for unless another does. */
export function solanaTransfer({
  source,
  feePayer = source,
  lamports = 1n,
}: {
  readonly source: string;
  readonly feePayer?: string;
  readonly lamports?: bigint;
}) {
  const data = Buffer.alloc(12);
  data.writeUInt32LE(2);
  data.writeBigUInt64LE(lamports, 4);
  const message = pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayer(address(feePayer), empty),
    (paid) =>
      setTransactionMessageLifetimeUsingBlockhash(
        {
          blockhash: blockhash('GfVcyD4kkTrj4bKc7WA9sZCin9JDbdT4Zkd3EittNR1W'),
          lastValidBlockHeight: 1n,
        },
        paid,
      ),
    (timed) =>
      appendTransactionMessageInstructions(
        [
          {
            programAddress: address('11111111111111111111111111111111'),
            accounts: [
              { address: address(source), role: AccountRole.WRITABLE_SIGNER },
              { address: STRANGER, role: AccountRole.WRITABLE },
            ],
            data,
          },
        ],
        timed,
      ),
  );
  const wire = getTransactionEncoder().encode(compileTransaction(message));
  return {
    network_id: 'solana-mainnet',
    transaction: Buffer.from(Uint8Array.from(wire)).toString('base64'),
  };
}
