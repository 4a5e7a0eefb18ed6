/** What the second rules refuse, told once from the first rules on: recorded in `test/vectors/second-rules-ledger.json`. */
import { toBase64 } from '@countersign/core/bytes.js';
import {
  createLedgerBuilder,
  keyStory,
  rawPublicKey,
  testPrivateKey,
  testSecret,
  type LedgerBuilder,
} from './ledger-builder.ts';
import { addRecipients, rsaPublicKey } from './party-facts.ts';

/** A key twice by the first rules; then the second, by which neither comes a third time, and what users may do. */
export function tellSecondRulesStory(): LedgerBuilder {
  const ledger = createLedgerBuilder();
  const recipients = addRecipients(ledger, 'first');
  tellOfKeys(ledger, recipients, 'first rules');
  ledger.judgedBy = 2;
  tellOfKeys(ledger, recipients, 'second rules');
  tellOfUsers(ledger);
  return ledger;
}

function tellOfKeys(
  ledger: LedgerBuilder,
  recipients: ReturnType<typeof addRecipients>,
  when: string,
): void {
  const { admin } = ledger;
  const sealedFor = (name: string) =>
    recipients.map(({ party, recipient_id }) => {
      const sealed = testSecret(`${name}, sealed to party ${party}`);
      return { party, recipient_id, sealed: toBase64(Buffer.concat([sealed, sealed])) };
    });
  const spki = rsaPublicKey('imported');
  const attestAll = (id: string, publicKey: Uint8Array) => {
    for (const party of [1, 2, 3] as const) {
      ledger.attest(party, id, { ...keyStory(id), publicKey });
    }
  };
  const importKey = (name: string, body: object, publicKey: Uint8Array) => {
    const sent = ledger.sendUnchecked(admin, 'POST', '/v1/keys/import', {
      display_name: name,
      ...body,
    });
    const id = sent.subject?.resourceIds[0];
    if (id !== undefined) attestAll(id, publicKey);
    return id;
  };
  const rsa = { type: 'rsa', encoding: 'pkcs8', public_key: toBase64(spki) };
  const imported = importKey(when, { ...rsa, shares: sealedFor(`rsa, ${when}`) }, spki);
  if (imported !== undefined) ledger.must(admin, 'POST', `/v1/keys/${imported}/destroy`);
  const generated = ledger.must(admin, 'POST', '/v1/keys', { type: 'rsa', display_name: when });
  attestAll(generated, spki);
  attestAll(generated, rsaPublicKey(when));
  const hmac = { type: 'hmac', encoding: 'utf8', shares: sealedFor('hmac') };
  importKey(`hmac, ${when}`, hmac, Buffer.alloc(0));
  ledger.sendUnchecked(admin, 'POST', `/v1/keys/freeze?key_ids=${generated}`);
}

function tellOfUsers(ledger: LedgerBuilder): void {
  const { admin } = ledger;
  const manager = ledger.addMachine('manager', ['manage_users', 'manage_user_groups']);
  const boss = ledger.addMachine('boss', ['manage_admin_policies']);
  const bot = ledger.addMachine('bot');
  const group = ledger.must(admin, 'POST', '/v1/user-groups', { display_name: 'Traders' });
  const desk = ledger.must(admin, 'POST', '/v1/security-groups', { display_name: 'Desk' });
  const when = { initiators: { user_group_ids: [group] }, operations: ['raw_sign'] };
  ledger.must(admin, 'POST', '/v1/signing-policies', {
    display_name: 'Traders sign',
    security_group_id: desk,
    rules: [{ display_name: 'Traders', when, then: 'allow' }],
  });
  const publicKey = rawPublicKey(testPrivateKey('another')).toString('base64url');
  const later = new Date(ledger.now + 3_600_000).toISOString();
  ledger.sendUnchecked(manager, 'PUT', `/v1/users/${bot.id}`, { user_group_ids: [group] });
  ledger.must(admin, 'PUT', `/v1/users/${bot.id}`, { user_group_ids: [group] });
  for (const who of [manager, admin]) {
    for (const [id, body] of [
      [manager.id, { user_group_ids: [group] }],
      [bot.id, { public_key: publicKey }],
      [boss.id, { expires_at: later }],
    ] as const) {
      ledger.sendUnchecked(who, 'PUT', `/v1/users/${id}`, body);
    }
  }
  for (const who of [manager, admin]) {
    ledger.sendUnchecked(who, 'DELETE', `/v1/users?user_ids=${boss.id}`);
  }
}
