/** The chapters of the recorded story about keys: imports, what parties say of keys, and keys that may not come back. */
import { toBase64 } from '@countersign/core/bytes.js';
import { encodeAttestation } from '@countersign/vault/ledger/write-entry.js';
import { keyStory, testSecret, type KeyStory, type LedgerBuilder } from './ledger-builder.ts';
import {
  addRecipients,
  appendRecipient,
  appendRefusal,
  refuseKey,
  rsaPublicKey,
  signedRecipient,
  signedRefusal,
} from './party-facts.ts';
import { judgeTogether } from './story-of-statements.ts';

const PARTIES = [1, 2, 3] as const;

/** All three parties say the same of a key. */
export function attestAll(
  ledger: LedgerBuilder,
  id: string,
  publicKey: Uint8Array = keyStory(id).publicKey,
): void {
  const story: KeyStory = { ...keyStory(id), publicKey };
  judgeTogether(
    ledger,
    PARTIES.map((party) => encodeAttestation(ledger.now, ledger.signedFact(party, id, story))),
    [3, 1],
  );
}

const importKey = (ledger: LedgerBuilder, body: object) =>
  ledger.sendUnchecked(ledger.admin, 'POST', '/v1/keys/import', body).subject?.resourceIds[0] ?? '';

/** Imports that came to something and imports that did not. */
export function tellOfImports(ledger: LedgerBuilder): void {
  const outdated = signedRecipient(ledger, 2, 'between', ledger.now + 1_000);
  appendRecipient(ledger, outdated);
  appendRecipient(ledger, { ...signedRecipient(ledger, 2, 'forged'), party: 3 });
  const shares = addRecipients(ledger, 'imports');
  const hmac = {
    ...{ type: 'hmac', scheme: 'hmac_sha256', encoding: 'utf8', display_name: 'Secret' },
    ...{ venue_id: 'okx', venue_api_key: 'okx-key', labels: { desk: 'b' }, shares },
  };
  const secret = importKey(ledger, hmac);
  ledger.attest(3, secret, keyStory('with a public key'));
  attestAll(ledger, secret, Buffer.alloc(0));
  refuseKey(ledger, 1, secret);
  const [first, second, third] = shares;
  for (const change of [
    { shares: [first, second, second] },
    { shares: [first, second, { ...third, recipient_id: outdated.recipientId }] },
    { public_key: toBase64(keyStory('seed').publicKey) },
    // the same ciphertexts, whatever became of the key
    {},
  ]) {
    importKey(ledger, { ...hmac, ...change });
  }
  ledger.must(ledger.admin, 'POST', `/v1/keys/${secret}/destroy`);
  ledger.attest(1, secret, keyStory('after its end'));
  tellOfKeysThatComeBack(ledger, shares);
}

type Shares = ReturnType<typeof addRecipients>;

/** To the same recipients. */
function sealedAnew(recipients: Shares, name: string): Shares {
  return recipients.map((share) => {
    const sealed = testSecret(`${name} sealed to party ${share.party}`);
    return { ...share, sealed: toBase64(Buffer.concat([sealed, sealed])) };
  });
}

/** A key is one key for good: neither generated nor imported again, by another exponent neither. */
function tellOfKeysThatComeBack(ledger: LedgerBuilder, recipients: Shares): void {
  const spki = rsaPublicKey('comes back');
  const rsa = {
    ...{ type: 'rsa', scheme: 'rsa_pss_sha256', encoding: 'pkcs8', display_name: 'RSA' },
    public_key: toBase64(spki),
    shares: sealedAnew(recipients, 'rsa'),
  };
  const imported = importKey(ledger, rsa);
  attestAll(ledger, imported, spki);
  importKey(ledger, rsa);
  const path = '/v1/keys';
  const body = { type: 'rsa', display_name: 'Generated' };
  const generated = ledger.must(ledger.admin, 'POST', path, body);
  attestAll(ledger, generated, spki);
  // a run that failed half way, a forged statement, and the run that came to something
  const [failed, good] = ['failed', 'good'].map((name) => ({
    ...keyStory(name),
    publicKey: rsaPublicKey(name),
  }));
  ledger.attest(1, generated, failed);
  ledger.attest(2, generated, good);
  const honest = ledger.signedFact(3, generated, good!);
  ledger.appendFact({ ...honest, session: failed!.session });
  ledger.appendFact(honest);
  ledger.attest(1, generated, good);
  ledger.attest(1, generated, keyStory('too late'));
  const shares = sealedAnew(recipients, 'seed');
  const seed = { ...rsa, type: 'ed25519', scheme: undefined, encoding: 'seed', shares };
  const part = importKey(ledger, { ...seed, public_key: toBase64(keyStory('part').publicKey) });
  ledger.attest(2, part, keyStory('another part'));
  refuseKey(ledger, 3, part);
  const unfinished = ledger.must(ledger.admin, 'POST', path, { ...body, type: 'ed25519' });
  ledger.sendUnchecked(ledger.admin, 'POST', `/v1/keys/${unfinished}/destroy`);
  appendRefusal(ledger, { ...signedRefusal(ledger, 3, unfinished, 'a'), reason: 'b' });
  refuseKey(ledger, 3, unfinished);
}
