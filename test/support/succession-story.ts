/**
 * The story that `test/vectors/party-succession-ledger.json` records: a party is replaced, and keys get new shares,
 * accepted and refused, each kind of statement about it too.
 */
import { createLedgerBuilder, testSecret, type LedgerBuilder } from './ledger-builder.ts';
import {
  appendRefresh,
  confirmSuccessor,
  newHost,
  replaceParty3,
  signedRefresh,
  signedSuccessor,
} from './party-facts.ts';

export function tellSuccessionStory(): LedgerBuilder {
  const ledger = createLedgerBuilder();
  const keys = ['first', 'second'].map((name) => addKey(ledger, name));
  tellOfRefresh(ledger, keys);
  tellOfSuccessor(ledger, keys);
  return ledger;
}

function addKey(ledger: LedgerBuilder, name: string): string {
  const body = { type: 'ed25519', display_name: name };
  const id = ledger.must(ledger.admin, 'POST', '/v1/keys', body);
  for (const party of [1, 2, 3] as const) ledger.attest(party, id);
  return id;
}

const shareOf = (keyId: string, run: string) => ({
  keyId,
  session: testSecret(`session of ${run}`).toString('hex').slice(0, 32),
  transcriptHash: testSecret(`transcript of ${run}`),
});

function tellOfRefresh(ledger: LedgerBuilder, keys: readonly string[]): void {
  const { admin } = ledger;
  const path = '/v1/system/shares/refresh';
  ledger.sendUnchecked(admin, 'POST', path, { dealers: [2, 1] });
  ledger.must(admin, 'POST', path, { dealers: [1, 2] });
  ledger.sendUnchecked(admin, 'POST', path, { dealers: [1, 2] });
  const shares = keys.map((id) => shareOf(id, 'refresh'));
  for (const party of [1, 2, 3] as const)
    appendRefresh(ledger, signedRefresh(ledger, party, shares));
  appendRefresh(ledger, signedRefresh(ledger, 1, shares));
}

function tellOfSuccessor(ledger: LedgerBuilder, [first, second]: readonly string[]): void {
  const { admin } = ledger;
  ledger.sendUnchecked(admin, 'PUT', '/v1/system/parties/4', newHost('nowhere'));
  ledger.must(admin, 'PUT', '/v1/system/parties/3', newHost('first'));
  confirmSuccessor(ledger, signedSuccessor(ledger, 3));
  replaceParty3(ledger, 'second');
  const shares = [shareOf(first!, 'successor'), shareOf(second!, 'successor')];
  appendRefresh(ledger, signedRefresh(ledger, 3, shares));
  for (const party of [1, 2] as const) appendRefresh(ledger, signedRefresh(ledger, party, shares));
  appendRefresh(ledger, signedRefresh(ledger, 3, shares.slice(1), 'host second'));
  ledger.appendRow(ledger.countersignature(3));
  ledger.must(admin, 'POST', `/v1/keys/${first}/destroy`);
}
