/** A wallet of a running vault where `@solana/kit` asks for a signer. */
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  address,
  appendTransactionMessageInstructions,
  assertIsFullySignedTransaction,
  assertIsTransactionWithinSizeLimit,
  blockhash,
  createSignableMessage,
  createTransactionMessage,
  getPublicKeyFromAddress,
  isMessageSigner,
  isTransactionSigner,
  partiallySignTransactionMessageWithSigners,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners,
  verifySignature,
  type Instruction,
} from '@solana/kit';
import {
  createCountersignClient,
  type CountersignClient,
} from '../client/dist/calls/countersign-client.js';
import { createSolanaSigner, type SolanaSigner } from '../client/dist/solana/solana-signer.js';
import { openSharedVault, type TestWallet, type VaultInUse } from './support/test-vault.ts';

let vault: VaultInUse;
let wallet: TestWallet;
let client: CountersignClient;
let signer: SolanaSigner;
beforeAll(async () => {
  vault = await openSharedVault();
  const bot = await vault.createMachine();
  wallet = await vault.createWallet({ initiators: [bot.id] });
  client = createCountersignClient({ baseUrl: vault.baseUrl, ...bot.credential });
  signer = signerOf(wallet);
}, 120_000);
afterAll(async () => {
  client?.close();
  await vault?.close();
});

const signerOf = ({ vaultId, address: of }: TestWallet) =>
  createSolanaSigner({ client, vaultId, address: of, networkId: 'solana-mainnet' });

/** A note of the memo program, for a transaction that `paying` signs. */
function noteOf(paying: SolanaSigner, text: string) {
  const note: Instruction = {
    programAddress: address('MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr'),
    data: new TextEncoder().encode(text),
  };
  const lifetime = {
    blockhash: blockhash('GfVcyD4kkTrj4bKc7WA9sZCin9JDbdT4Zkd3EittNR1W'),
    lastValidBlockHeight: 1n,
  };
  return pipe(
    createTransactionMessage({ version: 0 }),
    (empty) => setTransactionMessageFeePayerSigner(paying, empty),
    (paid) => setTransactionMessageLifetimeUsingBlockhash(lifetime, paid),
    (timed) => appendTransactionMessageInstructions([note], timed),
  );
}

it('is what kit takes for a signer of both kinds', () => {
  expect([isTransactionSigner(signer), isMessageSigner(signer)]).toEqual([true, true]);
});

it('signs a transaction that kit then takes for fully signed, with its key', async () => {
  const signed = await signTransactionMessageWithSigners(noteOf(signer, 'a note'));
  assertIsFullySignedTransaction(signed);
  assertIsTransactionWithinSizeLimit(signed);
  const key = await getPublicKeyFromAddress(signer.address);
  const signature = signed.signatures[signer.address]!;
  await expect(verifySignature(key, signature, signed.messageBytes)).resolves.toBe(true);
});

it('signs several messages, each as it is', async () => {
  const messages = ['one', 'two'].map((text) => createSignableMessage(text));
  const signed = await signer.signMessages(messages);
  const key = await getPublicKeyFromAddress(signer.address);
  const verdicts = messages.map(({ content }, index) =>
    verifySignature(key, signed[index]![signer.address]!, content),
  );
  await expect(Promise.all(verdicts)).resolves.toEqual([true, true]);
});

it('passes on what the vault refuses', async () => {
  const stranger = signerOf(await vault.createWallet());
  await expect(
    partiallySignTransactionMessageWithSigners(noteOf(stranger, 'a note')),
  ).rejects.toMatchObject({
    name: 'SolanaSigningError',
    callError: { errType: 'forbidden', status: 403 },
  });
});

it('asks the vault nothing once its caller has given up', async () => {
  const given = { abortSignal: AbortSignal.abort(new Error('enough')) };
  const message = createSignableMessage('late');
  await expect(signer.signMessages([message], given)).rejects.toThrow('enough');
});
