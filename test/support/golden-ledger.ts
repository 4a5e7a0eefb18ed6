/**
 * The story that `test/vectors/golden-ledger.json` records: every operation of the ledger, accepted and
 * refused. Its keys are derived from published names: they are test values and protect nothing.
 */
import { tellOfImports, tellOfVenueRules } from './golden-keys.ts';
import { appendEvidenceKey, signedEvidenceKey } from './party-facts.ts';
import { createLedgerBuilder, keyStory, testUser, type LedgerBuilder } from './ledger-builder.ts';

const NEXT_EVIDENCE_KEY = '0123456789abcdef';
const LONE_EVIDENCE_KEY = 'fedcba9876543210';

export function tellGoldenStory(): LedgerBuilder {
  const ledger = createLedgerBuilder();
  const { admin } = ledger;
  const must = (method: string, target: string, body?: unknown) =>
    ledger.must(admin, method, target, body);
  const refusedBy = (user: typeof admin, method: string, target: string, body?: unknown) => {
    const { refusal } = ledger.send(user, method, target, body);
    if (refusal === undefined) throw new Error(`${method} ${target}: was to be refused`);
  };

  // a venue that nobody knows is refused before it is appended; it was not when this was recorded
  const past = (method: string, target: string, body?: unknown) => {
    const { refusal } = ledger.sendUnchecked(admin, method, target, body);
    if (refusal !== undefined) throw new Error(`${method} ${target}: ${refusal.message}`);
  };

  // people and groups
  const operators = must('POST', '/v1/user-groups', { display_name: 'Operators' });
  const spare = must('POST', '/v1/user-groups', { display_name: 'Spare', description: 'unused' });
  must('PUT', `/v1/user-groups/${operators}`, {
    display_name: 'Desk operators',
    description: 'day shift',
  });
  refusedBy(admin, 'POST', '/v1/user-groups', { display_name: 'DESK OPERATORS' });
  must('DELETE', `/v1/user-groups/${spare}`);
  const human = must('POST', '/v1/users', {
    type: 'human',
    display_name: 'Ada',
    email: 'Ada@example.com',
    cloud_provider: 'azure',
    user_group_ids: [operators],
  });
  refusedBy(admin, 'POST', '/v1/users', {
    type: 'human',
    display_name: 'Ada again',
    email: 'ada@example.com',
    cloud_provider: 'gcp',
  });
  const bot = ledger.addMachine('Trading bot', ['manage_wallets', 'create_vaults', 'freeze']);
  must('PUT', `/v1/users/${bot.id}`, {
    user_group_ids: [operators],
    expires_at: '2030-01-01T00:00:00Z',
  });
  const rotation = ledger.send(admin, 'PUT', `/v1/users/${bot.id}`, { rotate_api_key: true });
  refusedBy(bot, 'POST', '/v1/vaults', { display_name: 'With the old API key' });
  const renewed = { ...bot, apiKey: ledger.apiKeyOf(rotation) };
  must('PUT', `/v1/users/${human}`, { description: 'treasury' });
  refusedBy(testUser('stranger'), 'POST', '/v1/vaults', { display_name: 'Nobody' });

  // administrative policies
  const vaultId = ledger.must(renewed, 'POST', '/v1/vaults', { display_name: 'Desk' });
  const second = must('POST', '/v1/vaults', { display_name: 'Cold', description: 'second' });
  must('PUT', `/v1/vaults/${second}`, { display_name: 'Colder', description: null });
  const denial = {
    display_name: 'No wallets in the second vault',
    action: 'manage_wallets',
    effect: 'deny',
    subjects: { user_group_ids: [operators] },
    scope: { vault_ids: [second] },
  };
  const policy = must('POST', '/v1/admin-policies', denial);
  refusedBy(renewed, 'POST', `/v1/vaults/${second}/wallets`, { network_family: 'solana' });
  must('PUT', `/v1/admin-policies/${policy}`, { ...denial, display_name: 'Narrower', version: 1 });
  refusedBy(admin, 'PUT', `/v1/admin-policies/${policy}`, { ...denial, version: 1 });
  must('DELETE', `/v1/admin-policies/${policy}`);
  refusedBy(admin, 'DELETE', `/v1/admin-policies/${policy}`);

  // settings, wallets and keys
  must('PATCH', '/v1/system-settings', { version: 1, testnets_enabled: true });
  refusedBy(admin, 'PATCH', '/v1/system-settings', { version: 1, testnets_enabled: false });
  const families = ['solana', 'sui', 'aptos', 'stellar', 'near'];
  const wallets = families.map((family) => {
    const id = ledger.must(renewed, 'POST', `/v1/vaults/${vaultId}/wallets`, {
      network_family: family,
      display_name: `Wallet on ${family}`,
    });
    const { keyId } = ledger.state.wallets.rows.get(id)!;
    for (const party of [2, 1, 3] as const) ledger.attest(party, keyId, keyStory(family));
    return { id, keyId, address: ledger.state.wallets.rows.get(id)!.address };
  });
  refusedBy(renewed, 'POST', `/v1/vaults/${vaultId}/wallets`, { network_family: 'dogecoin' });
  const [solana, sui, aptos] = wallets;
  const standalone = must('POST', '/v1/keys', {
    type: 'ed25519',
    display_name: 'Venue key',
    venue_id: 'binance',
    venue_api_key: 'PublicPart',
    labels: { desk: 'a' },
  });
  refusedBy(admin, 'POST', '/v1/keys', {
    type: 'ed25519',
    display_name: 'At a venue without such keys',
    venue_id: 'okx',
  });
  // a run that failed half way, a forged attestation, and the run that came to something
  ledger.attest(1, standalone, keyStory('failed run'));
  ledger.attest(2, standalone, keyStory('good run'));
  const honest = ledger.signedFact(3, standalone, keyStory('good run'));
  ledger.appendFact({ ...honest, session: keyStory('failed run').session });
  ledger.appendFact(honest);
  ledger.attest(1, standalone, keyStory('good run'));
  ledger.attest(1, standalone, keyStory('too late'));
  const pending = must('POST', '/v1/keys', { type: 'ed25519', display_name: 'Never finished' });
  ledger.attest(2, pending, keyStory('pending'));
  must('PUT', `/v1/vaults/${vaultId}/wallets/${solana!.address}`, { display_name: 'Main' });
  const imported = tellOfImports(ledger);

  // security groups and signing policies
  const group = must('POST', '/v1/security-groups', {
    display_name: 'Hot wallets',
    vault_ids: [vaultId],
    members: [{ member_id: solana!.id, member_type: 'wallet' }],
  });
  const open = must('POST', '/v1/security-groups', { display_name: 'Keys' });
  const empty = must('POST', '/v1/security-groups', { display_name: 'Empty' });
  must('PUT', `/v1/security-groups/${open}`, { display_name: 'Venue keys' });
  must('PUT', `/v1/security-groups/${open}/members/${standalone}`);
  refusedBy(admin, 'PUT', `/v1/security-groups/${open}/members/${solana!.keyId}`);
  must('PATCH', `/v1/security-groups/${group}/members`, {
    add: [
      { member_id: sui!.id, member_type: 'wallet' },
      { member_id: aptos!.id, member_type: 'wallet' },
    ],
  });
  must('DELETE', `/v1/security-groups/${group}/members?member_ids=${sui!.id}`);
  must('DELETE', `/v1/security-groups/${empty}`);
  const rules = [
    {
      display_name: 'Bot on mainnet',
      when: { initiators: { user_ids: [bot.id] }, networks: ['solana-mainnet', 'solana-devnet'] },
      then: 'allow',
    },
    { display_name: 'Raw', enabled: false, when: { operations: ['raw_sign'] }, then: 'deny' },
    {
      display_name: 'Operators',
      when: { initiators: { user_group_ids: [operators] } },
      then: 'deny',
    },
  ];
  const signing = { display_name: 'Desk rules', security_group_id: group, rules };
  const first = must('POST', '/v1/signing-policies', signing);
  const next = must('POST', '/v1/signing-policies', { ...signing, display_name: 'More rules' });
  const last = must('POST', '/v1/signing-policies', {
    display_name: 'Venue rules',
    security_group_id: open,
    rules: [{ display_name: 'Raw', when: { operations: ['raw_sign', 'sign'] }, then: 'allow' }],
  });
  refusedBy(admin, 'POST', '/v1/signing-policies', {
    ...signing,
    rules: [rules[2], { ...rules[2], display_name: 'Never reached' }],
  });
  must('PUT', `/v1/security-groups/${group}/signing-policy-order`, {
    signing_policy_ids: [next, first],
  });
  must('PUT', `/v1/signing-policies/${first}`, {
    display_name: 'Desk rules, shorter',
    rules: rules.slice(0, 1),
    version: 1,
  });
  refusedBy(admin, 'DELETE', `/v1/security-groups/${open}`);
  must('DELETE', `/v1/signing-policies/${last}`);
  tellOfVenueRules(ledger, open, imported);
  refusedBy(admin, 'DELETE', `/v1/user-groups/${operators}`);

  // a key's changes, and its end
  must('PUT', `/v1/keys/${standalone}`, {
    display_name: 'Venue key, renamed',
    description: 'desk a',
    venue_api_key: 'AnotherPublicPart',
    version: 1,
  });
  refusedBy(admin, 'PUT', `/v1/keys/${standalone}`, { display_name: 'Too late', version: 1 });
  refusedBy(admin, 'PUT', `/v1/keys/${standalone}`, { venue_api_key: 'PublicPart&coin=BTC' });
  refusedBy(admin, 'PUT', `/v1/keys/${standalone}`, { labels: { desk: 'b' } });
  must('PUT', `/v1/keys/${standalone}`, { venue_api_key: null, description: null });
  refusedBy(admin, 'POST', `/v1/keys/${solana!.keyId}/destroy`);
  refusedBy(admin, 'POST', `/v1/keys/${pending}/destroy`);
  must('POST', `/v1/keys/${imported}/destroy`);
  must('POST', `/v1/keys/${imported}/destroy`);
  refusedBy(admin, 'PUT', `/v1/keys/${imported}`, { display_name: 'Gone' });
  ledger.attest(1, imported, keyStory('after its end'));

  // a rotation of the evidence key, and one that a party alone asks for
  for (const party of [3, 1, 2] as const) {
    appendEvidenceKey(ledger, signedEvidenceKey(ledger, party, NEXT_EVIDENCE_KEY));
  }
  appendEvidenceKey(ledger, signedEvidenceKey(ledger, 1, NEXT_EVIDENCE_KEY));
  appendEvidenceKey(ledger, signedEvidenceKey(ledger, 1, LONE_EVIDENCE_KEY));
  appendEvidenceKey(ledger, { ...signedEvidenceKey(ledger, 1, LONE_EVIDENCE_KEY), party: 2 });

  // freezing at every scope; a freeze of each is left standing or lifted
  for (const [path, query] of [
    ['/v1/users', `?user_ids=${bot.id}`],
    ['/v1/keys', `?key_ids=${standalone}`],
    ['/v1/keys', '?venue_id=venue_b'],
    ['/v1/vaults', `?vault_ids=${second}`],
    [`/v1/vaults/${vaultId}/wallets`, `?addresses=${solana!.address},${sui!.address}`],
  ]) {
    past('POST', `${path}/freeze${query}`, { reason: 'drill' });
    past('POST', `${path}/freeze${query}`);
    must('POST', `${path}/unfreeze${query}`);
  }
  past('POST', '/v1/keys/freeze?venue_id=venue_c', { reason: 'breach at the venue' });
  must('POST', `/v1/vaults/freeze?vault_ids=${second}`);
  must('POST', `/v1/vaults/${vaultId}/wallets/freeze?addresses=${aptos!.address}`);
  refusedBy(admin, 'DELETE', `/v1/vaults/${vaultId}/wallets?addresses=${sui!.address}`);
  must('DELETE', `/v1/vaults/${vaultId}/wallets?addresses=${aptos!.address}`);
  const repeated = ledger.evidenceOf(renewed, 'POST', '/v1/system/freeze');
  ledger.appendEvidence(repeated);
  refusedBy(renewed, 'POST', '/v1/vaults', { display_name: 'While frozen' });
  must('POST', '/v1/system/unfreeze');
  ledger.appendEvidence(repeated);
  refusedBy(renewed, 'POST', '/v1/system/unfreeze');

  // entries that are no good whoever made them
  ledger.append(Buffer.from('not an entry'));
  refusedBy(admin, 'POST', `/v1/keys/${standalone}/raw-sign`, { message: 'AA==' });
  ledger.appendEvidence(ledger.evidenceOf(admin, 'DELETE', `/v1/users?user_ids=${human}`), 0);
  refusedBy(admin, 'DELETE', `/v1/users?user_ids=${admin.id}`);
  must('DELETE', `/v1/users?user_ids=${human}`);
  return ledger;
}
