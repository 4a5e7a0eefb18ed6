/**
 * Ledgers that end where random entries seldom or never come: each at a refusal of its own. What was refused is no
 * matter here; `planted-throws.test.ts` looks at which places they come to.
 */
import { enrollmentProof } from '@countersign/core/enrolment-proof.js';
import { createEvidenceKeys } from '@countersign/core/evidence-key.js';
import { encodeEvidenceEntry } from '@countersign/vault/ledger/write-entry.js';
import { HEADS_KEPT } from '@countersign/vault/ledger/party-statement.js';
import { MAX_HELD_BY_ONE } from '@countersign/vault/ledger/waiting-rows.js';
import {
  createLedgerBuilder,
  evidenceOf,
  keyStory,
  testGenesis,
  testSecret,
  type LedgerBuilder,
  type LedgerUser,
} from './ledger-builder.ts';
import {
  addRecipients,
  appendEvidenceKey,
  appendRefusal,
  appendWithdrawal,
  newHost,
  refuseKey,
  replaceParty3,
  signedEvidenceKey,
  signedRefusal,
  signedWithdrawal,
} from './party-facts.ts';
import { addPerson, enrolmentBody, TEST_PASSKEYS } from './person.ts';
import { createSoftwarePasskey } from './software-authenticator.ts';

const PARTIES = [1, 2, 3] as const;
const UNSIGNED = Buffer.alloc(64);

const NEXT = createEvidenceKeys([testSecret('next evidence key')]);
const FIRST = createEvidenceKeys([testSecret('evidence key')]);
const BOTH = createEvidenceKeys([testSecret('next evidence key'), testSecret('evidence key')]);

const UNDECLARED = createEvidenceKeys([testSecret('an evidence key that no party declares')]);

/** A ledger, and who acts in it: the administrator, and a machine that the administrator made. */
class Scene {
  readonly ledger: LedgerBuilder;
  readonly bot: LedgerUser;

  /** With keys of its own, all parties hold the newest of them. */
  constructor(keys?: typeof BOTH) {
    this.ledger = createLedgerBuilder({ passkeys: TEST_PASSKEYS, ...(keys && { keys }) });
    for (const party of keys === undefined ? [] : PARTIES) {
      appendEvidenceKey(this.ledger, signedEvidenceKey(this.ledger, party, NEXT.ids[0]));
    }
    this.bot = this.ledger.addMachine('bot');
  }

  /** What it comes to is asked by nobody. */
  ask(method: string, target: string, body?: object, user = this.ledger.admin): this {
    this.ledger.sendUnchecked(user, method, target, body);
    return this;
  }

  must(method: string, target: string, body?: object): string {
    return this.ledger.must(this.ledger.admin, method, target, body);
  }

  allow(user: LedgerUser, action: string, more: object = {}): string {
    return this.must('POST', '/v1/admin-policies', {
      ...{ display_name: `${action} ${this.ledger.rows.length}`, action, effect: 'allow' },
      subjects: { user_ids: [user.id] },
      ...more,
    });
  }

  /** The bot's vaults wait for the administrator from now on; one that waits. */
  holdVault(more: object = {}): string {
    const { admin } = this.ledger;
    this.allow(this.bot, 'create_vaults', {
      approvals: { quorum: 1, user_ids: [admin.id] },
      ...more,
    });
    this.ask('POST', '/v1/vaults', { display_name: 'Held' }, this.bot);
    return this.held;
  }

  get held(): string {
    return this.ledger.state.pendingRequests.order.last()!;
  }

  approve(id: string): this {
    const { digest } = this.ledger.state.pendingRequests.rows.get(id)!;
    return this.ask('POST', `/v1/requests/${id}/approve`, { digest });
  }

  /** Whoever is in the group may make vaults. */
  groupOfMakers(): string {
    const id = this.must('POST', '/v1/user-groups', { display_name: 'Makers' });
    this.allow(this.bot, 'create_vaults', { subjects: { user_group_ids: [id] } });
    return id;
  }

  /** The bot may sign with what has this label. */
  policyOfLabel(): string {
    const group = this.must('POST', '/v1/security-groups', {
      display_name: 'Labelled',
      selector: { labels: { desk: 'one' } },
    });
    return this.must('POST', '/v1/signing-policies', {
      ...{ display_name: 'Labelled', security_group_id: group },
      rules: [this.ruleForBot],
    });
  }

  get ruleForBot() {
    const when = { initiators: { user_ids: [this.bot.id] } };
    return { display_name: 'Rule', when, then: 'allow' };
  }

  importKey(body: object): string | undefined {
    const { ledger } = this;
    const shares = addRecipients(ledger, `import ${ledger.rows.length}`);
    const whole = { display_name: 'Imported', shares, encoding: 'seed', ...body };
    return ledger.sendUnchecked(ledger.admin, 'POST', '/v1/keys/import', whole).subject
      ?.resourceIds[0];
  }

  importHmac(): string {
    return this.importKey({ type: 'hmac', encoding: 'utf8' })!;
  }

  attest(keyId: string, publicKey = keyStory(keyId).publicKey): string {
    for (const party of PARTIES)
      this.ledger.attest(party, keyId, { ...keyStory(keyId), publicKey });
    return keyId;
  }

  newKey(): string {
    return this.attest(this.must('POST', '/v1/keys', { type: 'ed25519', display_name: 'Key' }));
  }

  withdraw(keyId: string, ...parties: (1 | 2 | 3)[]): this {
    const { ledger } = this;
    for (const party of parties) appendWithdrawal(ledger, signedWithdrawal(ledger, party, keyId));
    return this;
  }
}

const REQUESTS: readonly ((scene: Scene) => void)[] = [
  (scene) => scene.ask('POST', '/v1/system/freeze?reason=a&reason=b'),
  ({ ledger }) => {
    const body = Buffer.from([0xff]);
    const at = { timestampMs: ledger.now, nonce: Buffer.alloc(8, 1) };
    const request = { method: 'POST', target: '/v1/vaults', body, ...at };
    ledger.appendEvidence(evidenceOf(ledger.admin, request));
  },
  (scene) => {
    const expires = new Date(scene.ledger.now + 5_000).toISOString();
    scene.must('PUT', `/v1/users/${scene.bot.id}`, { expires_at: expires });
    scene.ledger.now += 60_000;
    scene.ask('POST', '/v1/vaults', { display_name: 'Late' }, scene.bot);
  },
  (scene) => {
    const expires = new Date(scene.ledger.now - 5_000).toISOString();
    scene.ask('PUT', `/v1/users/${scene.bot.id}`, { expires_at: expires });
  },
  ({ ledger }) => {
    const person = addPerson(ledger, ledger.admin, 'ann');
    const publicKey = Buffer.alloc(44).toString('base64url');
    const { credentialId } = person.passkey;
    const proof = enrollmentProof(person.code, { credentialId, publicKey });
    person.enrol(
      {},
      {
        ...enrolmentBody(person.code, person.id, person.passkey),
        ...{ public_key: publicKey, enrollment: { user_id: person.id, proof } },
      },
    );
  },
  ({ ledger }) => {
    const person = addPerson(ledger, ledger.admin, 'ann');
    person.enrol();
    for (let at = 2; at <= 11; at += 1) {
      const passkey = createSoftwarePasskey('eddsa', `passkey ${at}`);
      person.send('POST', '/v1/passkeys', passkey.registration());
    }
  },
  (scene) => {
    const { admin_policies: policies } = testGenesis(scene.ledger.admin);
    const { id } = policies.find(({ action }) => action === 'manage_admin_policies')!;
    scene.ask('DELETE', `/v1/admin-policies/${id}`);
  },
  (scene) => {
    const approvals = { quorum: 5, user_ids: [scene.bot.id] };
    const subjects = { user_ids: [scene.ledger.admin.id] };
    const body = { display_name: 'Ban', action: 'create_vaults', effect: 'allow' };
    scene.ask('POST', '/v1/admin-policies', { ...body, subjects, approvals });
  },
  (scene) => {
    const of = { ...newHost('other'), identity_public_key: `${'B'.repeat(43)}=` };
    scene.ask('PUT', '/v1/system/parties/3', of);
  },
  (scene) => {
    scene.newKey();
    replaceParty3(scene.ledger, 'third');
    scene.ask('PUT', '/v1/system/parties/2', newHost('second'));
  },
  (scene) => {
    for (let at = 0; at <= 50; at += 1) {
      scene.ask('POST', '/v1/webhooks', {
        ...{ display_name: `Hook ${at}`, url: `https://hooks.example.com/${at}` },
        events: ['request.completed'],
      });
    }
  },
];

const PEOPLE: readonly ((scene: Scene) => void)[] = [
  (scene) => {
    const { id } = addPerson(scene.ledger, scene.ledger.admin, 'ann');
    scene.ask('PUT', `/v1/users/${id}`, { allowed_addresses: ['203.0.113.7/32'] });
  },
  ({ ledger }) => {
    const person = addPerson(ledger, ledger.admin, 'ann');
    const elsewhere = { rpId: 'elsewhere.example.com' };
    person.enrol({}, enrolmentBody(person.code, person.id, person.passkey, elsewhere));
  },
  (scene) => {
    const issuer = 'https://login.microsoftonline.com/11111111-2222-3333-4444-555555555555/v2.0';
    scene.ask('POST', '/v1/users', {
      ...{ type: 'human', display_name: 'ann', email: 'ann@example.com', cloud_provider: 'gcp' },
      identity: { issuer, subject: 'object' },
    });
  },
  ({ ledger }) => {
    const identity = { issuer: 'https://accounts.google.com', subject: 'subject' };
    const person = { type: 'human', display_name: 'ann', cloud_provider: 'gcp', identity };
    for (const email of ['ann@example.com', 'eve@example.com']) {
      ledger.sendUnchecked(ledger.admin, 'POST', '/v1/users', { ...person, email });
    }
  },
];

const RIGHTS: readonly ((scene: Scene) => void)[] = [
  (scene) => {
    const [one, two] = ['One', 'Two'].map((name) =>
      scene.must('POST', '/v1/vaults', { display_name: name }),
    );
    const family = { network_family: 'solana' };
    const wallet = scene.must('POST', `/v1/vaults/${two}/wallets`, family);
    const { keyId } = scene.ledger.state.wallets.rows.get(wallet)!;
    scene.attest(keyId);
    const named = { display_name: 'Group', vault_ids: [one] };
    const group = scene.must('POST', '/v1/security-groups', named);
    const members = `/v1/security-groups/${group}/members`;
    scene.ask('PATCH', members, { add: [{ member_id: wallet, member_type: 'wallet' }] });
    for (const id of [keyId, scene.newKey()]) {
      scene.ask('PATCH', members, { add: [{ member_id: id, member_type: 'key' }] });
    }
  },
  (scene) => {
    const body = { display_name: 'x', version: 7, rules: [scene.ruleForBot] };
    scene.ask('PUT', `/v1/signing-policies/${scene.policyOfLabel()}`, body);
  },
  (scene) => {
    const ann = scene.ledger.addMachine('ann');
    scene.must('PUT', `/v1/users/${ann.id}`, { user_group_ids: [scene.groupOfMakers()] });
    const dan = scene.ledger.addMachine('dan', ['manage_users']);
    scene.ask('DELETE', `/v1/users?user_ids=${ann.id}`, undefined, dan);
  },
  (scene) => {
    const ann = scene.ledger.addMachine('ann');
    const dan = scene.ledger.addMachine('dan', ['manage_users', 'manage_user_groups']);
    const groups = { user_group_ids: [scene.groupOfMakers()] };
    scene.ask('PUT', `/v1/users/${ann.id}`, groups, dan);
  },
  (scene) => {
    scene.policyOfLabel();
    scene.allow(scene.bot, 'generate_keys');
    const body = { type: 'ed25519', display_name: 'Mine', labels: { desk: 'one' } };
    scene.ask('POST', '/v1/keys', body, scene.bot);
  },
  (scene) => {
    const id = scene.policyOfLabel();
    const other = scene.must('POST', '/v1/security-groups', { display_name: 'Other' });
    const body = { display_name: 'x', version: 1, rules: [scene.ruleForBot] };
    scene.ask('PUT', `/v1/signing-policies/${id}`, { ...body, security_group_id: other });
  },
  (scene) => {
    const id = scene.policyOfLabel();
    const rules = [{ ...scene.ruleForBot, id }];
    scene.ask('PUT', `/v1/signing-policies/${id}`, { display_name: 'x', version: 1, rules });
  },
];

const WAITING: readonly ((scene: Scene) => void)[] = [
  (scene) => {
    const id = scene.holdVault();
    const { digest } = scene.ledger.state.pendingRequests.rows.get(id)!;
    scene.ask('POST', `/v1/requests/${id}/approve`, { digest, rule_ids: [id] });
  },
  (scene) => {
    const id = scene.holdVault();
    scene.ask('PUT', `/v1/users/${scene.bot.id}`, { rotate_api_key: true }).approve(id);
  },
  (scene) => {
    const key = scene.newKey();
    const members = [{ member_id: key, member_type: 'key' }];
    const group = scene.must('POST', '/v1/security-groups', { display_name: 'Desk', members });
    const { when, ...rule } = scene.ruleForBot;
    const then = { require_approvals: { quorum: 1, user_ids: [scene.ledger.admin.id] } };
    const policy = scene.must('POST', '/v1/signing-policies', {
      ...{ display_name: 'Desk', security_group_id: group },
      rules: [{ ...rule, when: { ...when, operations: ['raw_sign'] }, then }],
    });
    scene.ask('POST', `/v1/keys/${key}/raw-sign`, { message: 'AAAA' }, scene.bot);
    const id = scene.held;
    scene.ask('DELETE', `/v1/signing-policies/${policy}`).approve(id);
  },
  (scene) => {
    const id = scene.holdVault();
    scene.must('POST', '/v1/system/freeze');
    scene.approve(id);
  },
  (scene) => {
    scene.holdVault();
    for (let at = 0; at < MAX_HELD_BY_ONE; at += 1) {
      scene.ask('POST', '/v1/vaults', { display_name: `Held ${at}` }, scene.bot);
    }
  },
  (scene) => {
    const ann = scene.ledger.addMachine('ann');
    scene.holdVault({ delay_s: 60, approvals: { quorum: 1, user_ids: [ann.id] } });
    const { digest } = scene.ledger.state.pendingRequests.rows.get(scene.held)!;
    scene.ask('POST', `/v1/requests/${scene.held}/approve`, { digest }, ann);
    scene.must('POST', `/v1/users/freeze?user_ids=${ann.id}`);
    scene.ledger.now += 61_000;
    scene.must('POST', '/v1/vaults', { display_name: 'Another' });
  },
];

const KEYS: readonly ((scene: Scene) => void)[] = [
  (scene) => {
    const { publicKey } = keyStory(scene.newKey());
    const body = { type: 'ed25519', display_name: 'Born again' };
    scene.attest(scene.must('POST', '/v1/keys', body), publicKey);
  },
  ({ ledger }) => refuseKey(ledger, 1, ledger.admin.id),
  (scene) => {
    const id = scene.attest(scene.importHmac(), Buffer.alloc(0));
    refuseKey(scene.ledger, 1, id);
  },
  (scene) => {
    const fact = signedRefusal(scene.ledger, 1, scene.importHmac(), 'it does not fit');
    appendRefusal(scene.ledger, { ...fact, signature: UNSIGNED });
  },
  (scene) => {
    const vault = scene.must('POST', '/v1/vaults', { display_name: 'Vault' });
    const family = { network_family: 'solana' };
    const wallet = scene.must('POST', `/v1/vaults/${vault}/wallets`, family);
    const { keyId } = scene.ledger.state.wallets.rows.get(wallet)!;
    scene.ask('POST', `/v1/keys/${scene.attest(keyId)}/destroy`);
  },
  (scene) => scene.ask('PUT', `/v1/keys/${scene.newKey()}`, { display_name: 'x', version: 7 }),
  (scene) => {
    const id = scene.newKey();
    scene.ask('POST', `/v1/keys/${id}/destroy`).ask('PUT', `/v1/keys/${id}`, { display_name: 'x' });
  },
  (scene) => scene.importKey({ type: 'ed25519' }),
  (scene) => scene.importKey({ type: 'ed25519', public_key: 'AAAA' }),
  (scene) => scene.importKey({ type: 'rsa', encoding: 'pkcs8', public_key: 'AAAA' }),
];

const EVIDENCE_KEYS: readonly ((scene: Scene) => void)[] = [
  ({ ledger }) => {
    for (let at = 0; at <= 8; at += 1) {
      appendEvidenceKey(ledger, signedEvidenceKey(ledger, 1, `${at}`.repeat(16)));
    }
  },
  ({ ledger, bot }) => {
    const evidence = ledger.evidenceOf(bot, 'POST', '/v1/vaults', { display_name: 'Sealed' });
    ledger.append(encodeEvidenceEntry(ledger.now, evidence, UNDECLARED));
  },
  (scene) => scene.withdraw('ab'.repeat(8), 1),
  (scene) => scene.withdraw(NEXT.ids[0], 1, 2, 3),
  (scene) => scene.withdraw(NEXT.ids[0], 1, 2).withdraw(FIRST.ids[0], 1),
  ({ ledger }) => {
    const fact = signedWithdrawal(ledger, 1, FIRST.ids[0]);
    appendWithdrawal(ledger, { ...fact, signature: UNSIGNED });
  },
  (scene) => {
    const { ledger, bot } = scene;
    scene.allow(bot, 'create_vaults', { approvals: { quorum: 1, user_ids: [ledger.admin.id] } });
    const evidence = ledger.evidenceOf(bot, 'POST', '/v1/vaults', { display_name: 'Held' });
    ledger.append(encodeEvidenceEntry(ledger.now, evidence, FIRST));
    scene.withdraw(FIRST.ids[0], 2, 3).approve(scene.held);
  },
];

/** Behind so many rows nobody remembers the hash of the first. */
function sayTooLate({ ledger }: Scene): void {
  const [first] = ledger.rows;
  while (ledger.rows.length <= HEADS_KEPT + 1) ledger.appendRow(Buffer.alloc(1));
  ledger.appendRow(ledger.countersignature(1, { seq: 1, hash: first!.hash }));
}

const told = (act: (scene: Scene) => void, keys?: typeof BOTH) => () => {
  const scene = new Scene(keys);
  act(scene);
  return scene.ledger;
};

/** Each is told when it is asked for. */
export const REFUSAL_SCENES: readonly (() => LedgerBuilder)[] = [
  ...[...REQUESTS, ...PEOPLE, ...RIGHTS, ...WAITING, ...KEYS, sayTooLate].map((act) => told(act)),
  ...EVIDENCE_KEYS.map((act) => told(act, BOTH)),
];
