/**
 * Entries of a ledger at random: requests of every operation, made from its shapes; statements and facts of parties; what was
 * there before, damaged and whole; and bytes. The same for the same seed.
 */
import type { ApiOperation } from '@countersign/api/operation.js';
import { API_OPERATIONS } from '@countersign/api/operations/api-operations.js';
import { sign, type KeyObject } from 'node:crypto';
import {
  ceremonyHashOf,
  keyAttestationMessage,
  keyRefusalMessage,
} from '@countersign/core/attestation.js';
import { ADMIN_POLICY_TYPES } from '@countersign/api/requests/admin-policy-types.js';
import { digestOf, type Evidence } from '@countersign/core/evidence.js';
import {
  evidenceKeyMessage,
  evidenceKeyWithdrawalMessage,
  type EvidenceKeys,
} from '@countersign/core/evidence-seal.js';
import { sha256, uuidFromHash } from '@countersign/core/hash.js';
import { recipientMessage } from '@countersign/core/import-recipient.js';
import { PARTY_NUMBERS, type PartyNumber } from '@countersign/core/parties.js';
import {
  acknowledgementMessage,
  anchorMessage,
  countersignatureMessage,
  refreshMessage,
  successorMessage,
} from '@countersign/core/party-statements.js';
import { addressOf } from '@countersign/chains/addresses.js';
import { type EntryRow } from '@countersign/vault/ledger/entry.js';
import { MAX_TIME_MS } from '@countersign/core/records.js';
import {
  encodeAcknowledgement,
  encodeAnchor,
  encodeAttestation,
  encodeCountersignature,
  encodeEvidenceEntry,
  encodeEvidenceKey,
  encodeEvidenceKeyWithdrawal,
  encodeKeyRefusal,
  encodeRecipient,
  encodeRefresh,
  encodeSuccessor,
} from '@countersign/vault/ledger/write-entry.js';
import type { LedgerView } from '@countersign/vault/ledger/fold.js';
import { rulesVersion1 } from '@countersign/vault/ledger/rules-version-1.js';
import type { LedgerOperation } from '@countersign/vault/operations/ledger-operation.js';
import type {
  PendingRequest,
  Key,
  Successor,
  User,
  VaultState,
} from '@countersign/vault/state/state.js';
import {
  anyHeld,
  anyId,
  EVIDENCE_KEY_IDS,
  FOUNDERS,
  KnownSecrets,
  OWN_CODES,
  PASSKEYS,
  seededKeys,
  sourceOf,
  tokenFor,
  type About,
  type Actor,
  HOSTS,
} from './fuzz-world.ts';
import { START, testPrivateKey } from './ledger-builder.ts';
import { UNKNOWN_ID } from './operation-inputs.ts';
import { rsaPublicKey } from './party-facts.ts';
import { enrolmentBody, evidenceOfPerson } from './person.ts';
import type { Random } from './seeded-random.ts';
import { faultyText, valueFor, withFault, type ValueSource } from './shape-values.ts';

const OPERATIONS = rulesVersion1.operations;
const PARAMS: Readonly<Record<string, Pick<ApiOperation, 'params'>>> = API_OPERATIONS;
const OPERATION_BY_ID = new Map(OPERATIONS.map((operation) => [operation.id, operation]));

/** Of those that others rest on there are more. */
const OFTEN = [
  ...['create-user', 'create-vault', 'create-wallet', 'generate-key', 'import-key'],
  ...['create-security-group', 'create-signing-policy', 'register-passkey', 'unfreeze-system'],
  ...['patch-security-group-members', 'create-admin-policy', 'create-webhook', 'raw-sign-with-key'],
  ...['create-address-list'],
].map((id) => OPERATION_BY_ID.get(id)!);
const CHOICE = [...OPERATIONS, ...OPERATIONS, ...OFTEN, ...OFTEN];

const APPROVALS = Array.from({ length: 5 }, () => 'approve-request');

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

interface Sent {
  readonly method: string;
  readonly target: string;
  readonly body: Buffer;
}

/** What an entry is made over: what a node that follows has by then. */
export interface Seen {
  readonly view: LedgerView;
  readonly rows: readonly EntryRow[];
}

const DECIDED = { decides: 0.25, jumps: 0.05 };
/** Much comes to wait at one time. */
const UNDECIDED = { decides: 0.02, jumps: 0.002 };

/** What a ledger has more of than others. */
interface Mood {
  /** How often requests that wait are decided. */
  readonly decides: number;
  /** How often time goes on by minutes or hours. */
  readonly jumps: number;
  /** How often policies are left alone without which nobody may do anything. */
  readonly sparesFounders: number;
  /** How often a statement about an evidence key takes trust away. */
  readonly withdraws: number;
}

export class FuzzEntries {
  readonly keys: EvidenceKeys;
  readonly #random: Random;
  readonly #secrets = new KnownSecrets();
  readonly #mood: Mood;
  #now = START;
  #view!: LedgerView;
  #rows: readonly EntryRow[] = [];

  constructor(random: Random) {
    this.#random = random;
    this.keys = seededKeys(random);
    this.#mood = {
      ...random.pick([DECIDED, DECIDED, DECIDED, UNDECIDED]),
      sparesFounders: random.pick([0.97, 0.97, 0.5]),
      withdraws: random.pick([0.15, 0.15, 0.6]),
    };
  }

  /** Bodies of the entries that come next: one, or several that belong together. */
  next({ view, rows }: Seen): readonly Uint8Array[] {
    this.#view = view;
    this.#rows = rows;
    this.#passTime();
    const of = this.#random.next();
    if (of < 0.75) return [this.#request()];
    if (of < 0.82) return this.#fact();
    if (of < 0.87) return [this.#earlier()];
    if (of < 0.9) return [damaged(this.#request(), this.#random)];
    if (of < 0.92) return [bytes(this.#random)];
    return [this.#otherWord()];
  }

  /** Two parties countersign what there is, or a part of it; or they do not agree. */
  statements({ view, rows }: Seen): readonly Uint8Array[] {
    this.#view = view;
    this.#rows = rows;
    const { chance, pick } = this.#random;
    const back = chance(0.85) ? 0 : pick([1, 2, 5]);
    const left = pick(PARTY_NUMBERS);
    const apart = chance(0.9) ? 0 : pick([30 * SECOND, 61 * SECOND, -61 * SECOND, 240 * SECOND]);
    return PARTY_NUMBERS.filter((party) => party !== left).map((party, at) =>
      this.#countersignature(party, back, this.#now + (at === 0 ? 0 : apart)),
    );
  }

  /** The secrets of what is in the ledger by now, if it was a request. */
  note(row: EntryRow, sealedCredential: Uint8Array): void {
    this.#secrets.note(this.keys, sealedCredential, row.hash);
  }

  get #state(): VaultState {
    return this.#view.state;
  }

  #passTime(): void {
    const { chance, next, pick } = this.#random;
    this.#now += Math.floor(next() * 2 * SECOND);
    // seldom while something waits, which would be stale
    const jump = this.#view.pending.length === 0 ? this.#mood.jumps : 0.001;
    if (chance(jump)) this.#now += pick([MINUTE, 2 * MINUTE, HOUR, 73 * HOUR]);
    if (chance(jump / 4)) this.#now -= pick([5 * SECOND, 4 * MINUTE]);
  }

  #request(): Buffer {
    const operation = this.#operation();
    const about: About = {};
    const actor = this.#actorFor(operation, about);
    const state = this.#state;
    const source = this.#sourceFor(operation, actor, about);
    const path = operation.path.replaceAll(/\{(\w+)\}/g, (_part, name: string) =>
      String(valueFor(PARAMS[operation.id]!.params[name]!.schema, source, name)),
    );
    about.version ??= state.settings.version;
    const own = operation.id === 'register-passkey' ? this.#registration() : undefined;
    if (own !== undefined) return this.#entry(own);
    const target = `${path}${this.#query(operation, source)}`;
    const body = this.#body(operation, source);
    return this.#entry(this.#signed(actor, { method: operation.method, target, body }));
  }

  #operation(): LedgerOperation {
    const { chance, pick } = this.#random;
    const { systemFreeze, pendingRequests } = this.#state;
    if (systemFreeze !== null && chance(0.25)) return OPERATION_BY_ID.get('unfreeze-system')!;
    if (pendingRequests.indexes.open.size > 0 && chance(this.#mood.decides)) {
      const ids = [...APPROVALS, ...APPROVALS, 'reject-request', 'cancel-request'];
      return OPERATION_BY_ID.get(pick(ids))!;
    }
    const chosen = pick(CHOICE);
    // a vault that nobody may change shows nothing
    return chosen.id === 'freeze-system' && chance(0.8) ? pick(CHOICE) : chosen;
  }

  /** Who is asked, where somebody is; or anybody. */
  #actorFor({ id }: LedgerOperation, about: About): Actor {
    const { chance, pick } = this.#random;
    if (/^(?:approve|reject|cancel)-request$/.test(id) && chance(0.9)) {
      about.held = anyHeld(this.#state, this.#random)!;
      const asked = about.held && this.#askedFor(about.held, id === 'cancel-request');
      if (asked !== undefined) return asked;
    }
    const { users } = this.#state;
    const people = id === 'delete-passkey' ? [...users.rows.values()].filter(isEnrolled) : [];
    const person = people.length > 0 && this.#secrets.actorOf(pick(people));
    if (person) return person;
    const userId = chance(0.75) ? pick(FOUNDERS).id : anyId(users, this.#random);
    const user = users.rows.get(userId);
    return (user && this.#secrets.actorOf(user)) ?? FOUNDERS[0]!;
  }

  #askedFor({ createdBy, askedBy }: PendingRequest, isOwn: boolean): Actor | undefined {
    const { pick } = this.#random;
    const { adminPolicies, signingPolicies, users } = this.#state;
    const { policyId = '', ruleId } = askedBy.length === 0 ? {} : pick(askedBy);
    const rule = signingPolicies.rows.get(policyId)?.rules.find((one) => one.id === ruleId);
    const bySigning = typeof rule?.then === 'object' ? rule.then.requireApprovals : undefined;
    const { approvers } = adminPolicies.rows.get(policyId)?.approvals ?? bySigning ?? {};
    const inGroup = [...users.rows.values()].filter(
      ({ id, userGroupIds }) =>
        approvers?.userIds.includes(id) === true ||
        userGroupIds.some((group) => approvers?.userGroupIds.includes(group) === true),
    );
    const asked = isOwn
      ? users.rows.get(createdBy)
      : inGroup.length > 0
        ? pick(inGroup)
        : undefined;
    return asked && this.#secrets.actorOf(asked);
  }

  #sourceFor(operation: LedgerOperation, actor: Actor, about: About): ValueSource {
    const state = this.#state;
    const random = this.#random;
    const plain = sourceOf(state, random, about);
    const held = about.held;
    const { chance } = random;
    const isAboutUsers = operation.path.startsWith('/v1/users');
    const tables = {
      policy_id: operation.path.includes('admin') ? state.adminPolicies : state.signingPolicies,
      group_id: operation.path.includes('security') ? state.securityGroups : state.userGroups,
      key_id: state.keys,
      webhook_id: state.webhooks,
      list_id: state.addressLists,
    } as const;
    const aim = chance(0.8) ? aimOf(state, operation, random) : {};
    const named = (name: string): unknown => {
      if (aim[name] !== undefined) return aim[name];
      const table = tables[name as keyof typeof tables];
      if (table !== undefined) {
        const isFounders = table === state.adminPolicies && chance(this.#mood.sparesFounders);
        const order = isFounders ? table.order.slice(ADMIN_POLICY_TYPES.length) : table.order;
        const id = anyId({ order }, random);
        const row = table.rows.get(id);
        if (row !== undefined && 'version' in row) about.version = row.version;
        return id;
      }
      // whoever founded it is seldom shut out: a ledger in which nobody may do anything shows nothing
      if (/^user_ids?$/.test(name) && isAboutUsers && chance(0.95)) {
        return anyId({ order: state.users.order.slice(FOUNDERS.length) }, random);
      }
      if (name === 'request_id' && held !== undefined) return held.id;
      if (name === 'credential_id' && 'passkey' in actor) {
        const user = state.users.rows.get(actor.userId);
        return user?.type === 'human' ? user.passkeys?.at(-1)?.id : undefined;
      }
      return name === 'public_key' && operation.id === 'import-key'
        ? Buffer.from(String(plain.named(name)), 'base64url').toString('base64')
        : plain.named(name);
    };
    return { random, named };
  }

  #query(operation: LedgerOperation, source: ValueSource): string {
    const { chance, pick, next } = this.#random;
    const value = valueFor(operation.query, source) as Record<string, unknown>;
    const pairs = Object.entries(value)
      .filter(([, text]) => typeof text === 'string')
      .map(([name, text]) => {
        const more = /s$/.test(name) && chance(0.3) ? `,${String(source.named(name))}` : '';
        return `${name}=${String(text)}${more}`;
      });
    if (operation.id.startsWith('sign') || operation.id.startsWith('raw')) return '';
    if (chance(0.02)) pairs.push(pick(['%', 'a=%ff', 'user_ids=', '=', '&&', 'x=1', '%00=%00']));
    if (chance(0.01)) pairs.push(`key_ids=${',a'.repeat(Math.floor(next() * 2_000))}`);
    return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
  }

  #body(operation: LedgerOperation, source: ValueSource): Buffer {
    const { chance, pick } = this.#random;
    if (operation.body.making.call === 'strictObject' && chance(0.97)) {
      if (Object.keys(operation.body.making.args[0] as object).length === 0) return NOTHING;
    }
    let value = this.#wanted(operation, source);
    for (let again = 0; again < 2 && 'issues' in operation.body.read(value); again += 1) {
      value = this.#wanted(operation, source);
    }
    const of = this.#random.next();
    if (of < 0.1) value = withFault(value, this.#random);
    const text = JSON.stringify(value) ?? 'undefined';
    if (of > 0.97) return Buffer.from(faultyText(text, this.#random));
    if (of < 0.98 - 0.01) return Buffer.from(text);
    return pick([NOTHING, bytes(this.#random), Buffer.from('null'), Buffer.from('[]')]);
  }

  /** As the shape gives it; of policies most such as have others wait. */
  #wanted({ id, body }: LedgerOperation, source: ValueSource): unknown {
    const value = valueFor(body, source) as Record<string, unknown>;
    const { chance, pick } = this.#random;
    for (const list of [value['members'], value['add']]) this.#nameTypes(list);
    if (chance(0.4)) return value;
    if (id === 'create-user' || value['reset_passkeys'] === true) {
      // one enrolment key for two people once ended all nodes
      const isHuman = id === 'update-user' || value['type'] === 'human';
      return isHuman ? { ...value, enrollment_public_key: pick(OWN_CODES).publicKey } : value;
    }
    const asked = { quorum: pick([1, 1, 2]), user_ids: FOUNDERS.map((one) => one.id) };
    if (id === 'create-admin-policy') {
      const subjects = {
        user_ids: [pick([...FOUNDERS.map((one) => one.id), String(source.named('user_id'))])],
      };
      const { scope: _anywhere, approvals: _a, delay_s: _d, ...rest } = value;
      const approvals = chance(0.6) && {
        approvals: { ...asked, expires_in_s: pick([60, 3_600, 86_400]) },
      };
      const delay = chance(0.5) && { delay_s: pick([1, 30, 600]) };
      return { ...rest, effect: 'allow', subjects, ...approvals, ...delay };
    }
    if (id !== 'create-signing-policy' && id !== 'update-signing-policy') return value;
    if (id.startsWith('update') && chance(0.9)) {
      for (const name of ['id', 'security_group_id']) delete value[name];
    }
    const initiators = pick(['anyone', { user_ids: asked.user_ids }]);
    const worth = chance(0.1) && { usd_value: { max: '10' } };
    const when = { initiators, operations: ['sign', 'raw_sign'], ...worth };
    const rule = { display_name: 'asks', when, then: { require_approvals: asked } };
    return { ...value, rules: [rule] };
  }

  /** Members are mostly called what they are. */
  #nameTypes(members: unknown): void {
    if (!Array.isArray(members) || this.#random.chance(0.2)) return;
    for (const member of members as { member_id: string; member_type: string }[]) {
      member.member_type = this.#state.wallets.rows.has(member.member_id) ? 'wallet' : 'key';
    }
  }

  /** A person who has a code, or who has a passkey already. */
  #registration(): Evidence | undefined {
    const { chance, pick } = this.#random;
    const people = [...this.#state.users.rows.values()].filter(({ type }) => type === 'human');
    if (people.length === 0 || chance(0.1)) return undefined;
    const user = pick(people) as User & { type: 'human' };
    const passkey = pick(PASSKEYS);
    const known = this.#secrets.actorOf(user);
    const at = this.#signedAt();
    if (known !== undefined && 'passkey' in known) {
      const by = { ...known, timestampMs: at, nonce: this.#nonce() };
      const lie = chance(0.8) ? {} : pick([{ flags: 0 }, { rpId: 'other' }, { flags: 0xff }]);
      const body = { ...passkey.registration(lie), ...(chance(0.05) && { public_key: 'QUJD' }) };
      return evidenceOfPerson(by, 'POST', '/v1/passkeys', body);
    }
    const own = OWN_CODES.find(
      ({ publicKey }) =>
        Buffer.from(publicKey, 'base64url').toString('base64') === user.enrollmentKey,
    );
    const code = this.#secrets.codeOf(user.enrollmentCodeSha256) ?? 'no code';
    const body = own?.bodyOf(user.id, passkey) ?? enrolmentBody(code, user.id, passkey);
    const token = tokenFor(this.#random);
    const by = { token, userId: user.id, passkey, timestampMs: at, nonce: this.#nonce() };
    return evidenceOfPerson(by, 'POST', '/v1/passkeys', body);
  }

  #signed(actor: Actor, { method, target, body }: Sent): Evidence {
    const [path = '', ...query] = target.split('?');
    const { chance, pick } = this.#random;
    const unsigned = {
      method: chance(0.995) ? method : pick(['GET', '', 'post', 'PATCH']),
      path: chance(0.99) ? path : pick([`${path}/`, '', '/v1//', `${path}%2e`, '/v1/ü']),
      query: query.join('?'),
      body,
      scheme: 'apiKey' in actor ? ('ApiKey' as const) : ('Bearer' as const),
      credential: 'apiKey' in actor ? actor.apiKey : actor.token,
      timestampMs: this.#signedAt(),
      nonce: this.#nonce(),
      assertion: NOTHING,
    };
    const digest = digestOf(unsigned);
    const assertion =
      'apiKey' in actor
        ? signedBy(actor.privateKey, digest)
        : actor.passkey.assert(digest, actor.userId);
    if (chance(0.99)) return { ...unsigned, assertion };
    return {
      ...unsigned,
      assertion: damaged(assertion, this.#random),
      credential: pick([unsigned.credential, 'nobody', 'a.b.c', 'a.e30.c', '']),
      scheme: pick(['ApiKey', 'Bearer'] as const),
    };
  }

  #entry(evidence: Evidence): Buffer {
    return encodeEvidenceEntry(this.#now, evidence, this.keys);
  }

  #signedAt(): number {
    const { chance, next, pick } = this.#random;
    if (chance(0.985)) return this.#now - Math.floor(next() * SECOND);
    return pick([this.#now - 6 * MINUTE, this.#now + 6 * MINUTE, 0, MAX_TIME_MS]);
  }

  #nonce(): Buffer {
    const nonce = Buffer.alloc(8);
    const { chance, next } = this.#random;
    if (chance(0.01)) return nonce;
    nonce.writeUInt32LE(Math.floor(next() * 2 ** 32), 0);
    nonce.writeUInt32LE(Math.floor(next() * 2 ** 32), 4);
    return nonce;
  }

  #earlier(): Uint8Array {
    const { chance, next } = this.#random;
    const span = chance(0.5) ? Math.min(20, this.#rows.length) : this.#rows.length;
    return this.#rows[this.#rows.length - 1 - Math.floor(next() * span)]!.body;
  }

  #fact(): readonly Uint8Array[] {
    const { chance, pick } = this.#random;
    const { keys, successor, refresh } = this.#state;
    if (successor !== undefined && chance(0.3)) return this.#confirmations(successor);
    if (refresh !== undefined && chance(0.3)) return this.#newShares(refresh.number);
    const pending = keys.indexes.pending.toArray();
    if (pending.length === 0 && chance(0.8)) return [this.#request()];
    const key = keys.rows.get(
      pending.length > 0 && chance(0.9) ? pick(pending) : anyId(keys, this.#random),
    );
    if (key !== undefined && chance(0.8)) {
      return this.#attestations(chance(0.97) ? key : { ...key, id: UNKNOWN_ID });
    }
    const party = pick(PARTY_NUMBERS);
    if (key !== undefined && chance(0.4)) return [this.#keyRefusal(party, key.id)];
    if (chance(1 - 1.5 * this.#mood.withdraws)) {
      return PARTY_NUMBERS.map((one) => this.#recipient(one));
    }
    return [this.#evidenceKeyWord(party)];
  }

  #sign(party: PartyNumber, message: Uint8Array): Buffer {
    const identity = this.#state.parties.find((row) => row.party === party)!.identityPublicKey;
    const host = HOSTS.find(({ publicKey }) => publicKey === identity);
    const signature = signedBy(host?.privateKey ?? testPrivateKey(`party ${party}`), message);
    return this.#random.chance(0.985) ? signature : damaged(signature, this.#random, 64);
  }

  /** Most tell of the key that was asked for, some of one that may be another's already. */
  #attestations(key: Key): Buffer[] {
    const { chance, next } = this.#random;
    const name = chance(0.9) ? key.id : `${Math.floor(next() * 8)}`;
    const session = sha256('session', name).toString('hex').slice(0, 32);
    const transcriptHash = sha256('transcript', name);
    const publicKey = chance(0.98) ? this.#publicKeyFor(key, name) : bytes(this.#random);
    const wallet = this.#state.wallets.rows.get(key.walletId ?? '');
    const parties = PARTY_NUMBERS.slice(0, chance(0.9) ? 3 : 2);
    return parties.map((party) => {
      const message = keyAttestationMessage(
        {
          vaultId: wallet?.vaultId ?? '',
          keyId: key.id,
          keyType: key.type,
          publicKey,
          address: wallet === undefined ? '' : addressFor(wallet.networkFamily, publicKey),
          ceremonyHash: ceremonyHashOf(session, transcriptHash),
        },
        this.#state.genesisHash,
      );
      const signature = this.#sign(party, message);
      const fact = { party, keyId: key.id, session, publicKey, transcriptHash, signature };
      return encodeAttestation(this.#now, fact);
    });
  }

  #publicKeyFor({ type, publicKey, modulusBits }: Key, name: string): Buffer {
    if (type === 'hmac') return NOTHING;
    if (publicKey !== '' && this.#random.chance(0.97)) return Buffer.from(publicKey, 'base64');
    if (type === 'rsa') return modulus(modulusBits ?? 2_048, Math.floor(this.#random.next() * 40));
    return sha256('public key', name);
  }

  #keyRefusal(party: PartyNumber, keyId: string): Buffer {
    const { genesisHash } = this.#state;
    const reason = this.#random.pick(['the part does not fit', '', 'x'.repeat(500), '\ud800']);
    const message = keyRefusalMessage({ keyId, reason }, genesisHash);
    return encodeKeyRefusal(this.#now, {
      ...{ party, keyId, reason },
      signature: this.#sign(party, message),
    });
  }

  #recipient(party: PartyNumber): Buffer {
    const { next, chance, pick } = this.#random;
    const named = `${party} ${Math.floor(next() * 1e6)}`;
    const fact = {
      party,
      recipientId: chance(0.97) ? uuidFromHash(sha256('recipient', named)) : 'no uuid',
      publicKey: sha256('recipient key', named),
      expiresAt: this.#now + pick([24 * HOUR, 24 * HOUR, 47 * HOUR, 49 * HOUR, -HOUR]),
    };
    const message = recipientMessage(fact, this.#state.genesisHash);
    return encodeRecipient(this.#now, { ...fact, signature: this.#sign(party, message) });
  }

  #confirmations(waiting: Successor): Buffer[] {
    const { chance, pick } = this.#random;
    return pick([[1, 2], [2, 1], [1, 3], [2]] as const).map((party) => {
      const fact = {
        party,
        replaced: waiting.party,
        identityPublicKey: Buffer.from(waiting.identityPublicKey, 'base64'),
        exchangePublicKey: Buffer.from(waiting.exchangePublicKey, 'base64'),
        requestHash: chance(0.97) ? Buffer.from(waiting.requestHash, 'hex') : bytes(this.#random),
      };
      const message = successorMessage(fact, this.#state.genesisHash);
      return encodeSuccessor(this.#now, { ...fact, signature: this.#sign(party, message) });
    });
  }

  #newShares(number: number): Buffer[] {
    const { chance, next } = this.#random;
    const { keys, keysToRefresh, genesisHash } = this.#state;
    const ids = keysToRefresh?.take(5).toArray() ?? [];
    const run = sha256('run', `${Math.floor(next() * 1e6)}`);
    const named = [...ids, ...(chance(0.2) ? [anyId(keys, this.#random)] : [])];
    const shares = named.map((keyId) => ({
      keyId,
      session: run.toString('hex').slice(0, 32),
      transcriptHash: run,
    }));
    return PARTY_NUMBERS.slice(0, chance(0.9) ? 3 : 2).map((party) => {
      const fact = { party, refresh: chance(0.97) ? number : 0, keys: shares };
      const signature = this.#sign(party, refreshMessage(fact, genesisHash));
      return encodeRefresh(this.#now, { ...fact, signature });
    });
  }

  /** Withdrawn is hardly ever the key that seals most entries. */
  #evidenceKeyWord(party: PartyNumber): Buffer {
    const { chance, pick } = this.#random;
    const { genesisHash } = this.#state;
    const others = EVIDENCE_KEY_IDS.slice(1);
    const isWithdrawn = chance(this.#mood.withdraws);
    const evidenceKeyId = isWithdrawn
      ? pick(chance(0.05) ? EVIDENCE_KEY_IDS : others)
      : party === 3
        ? pick(EVIDENCE_KEY_IDS.slice(0, 2))
        : chance(0.3)
          ? sha256('key', `${this.#random.next()}`).toString('hex').slice(0, 16)
          : pick(EVIDENCE_KEY_IDS);
    const say = isWithdrawn ? evidenceKeyWithdrawalMessage : evidenceKeyMessage;
    const signature = this.#sign(party, say({ party, evidenceKeyId }, genesisHash));
    const encode = isWithdrawn ? encodeEvidenceKeyWithdrawal : encodeEvidenceKey;
    return encode(this.#now, { party, evidenceKeyId, signature });
  }

  /** `back`: how many places before the newest. */
  #countersignature(party: PartyNumber, back: number, at: number, rules = 1): Buffer {
    const { seq, hash } = this.#rows[Math.max(0, this.#rows.length - 1 - back)]!;
    const statement = { party, seq, hash, at: Math.max(0, at), rules, newestRules: rules };
    const message = countersignatureMessage(statement, this.#state.genesisHash);
    return encodeCountersignature(this.#now, {
      ...statement,
      signature: this.#sign(party, message),
    });
  }

  #otherWord(): Buffer {
    const { chance, next, pick } = this.#random;
    const party = pick(PARTY_NUMBERS);
    const { seq, hash } = this.#rows[Math.floor(next() * this.#rows.length)]!;
    const { genesisHash } = this.#state;
    const of = next();
    if (of < 0.3) {
      // one party alone may name what no release has, or any time
      const [rules, at] = pick([
        [7, this.#now],
        [0, this.#now],
        [1, MAX_TIME_MS],
        [1, 0],
      ] as const);
      return this.#countersignature(3, Math.floor(next() * 600), at, rules);
    }
    if (of < 0.65) {
      const named = chance(0.9) ? { seq, hash } : { seq: seq + pick([1, 1e6]), hash };
      const statement = { party, ...named };
      const signature = this.#sign(party, acknowledgementMessage(statement, genesisHash));
      return encodeAcknowledgement(this.#now, { ...statement, signature });
    }
    const length = pick([0, 1, 3, 256]);
    const chains = Array.from({ length }, (_, at) => ({ chainId: `${party}/${at}`, seq, hash }));
    const signature = this.#sign(party, anchorMessage({ party, chains }, genesisHash));
    return encodeAnchor(this.#now, { party, chains, signature });
  }
}

function isEnrolled(user: User): boolean {
  return user.type === 'human' && (user.passkeys ?? []).length > 0;
}

/** What it can be done to, where there is such a thing: names of its parameters. */
function aimOf(
  state: VaultState,
  { id }: LedgerOperation,
  random: Random,
): Readonly<Record<string, string | undefined>> {
  if (/sign(?:-with-key)?$/.test(id))
    return signingAim(state, /with-key$/.test(id) ? 'key' : 'wallet', random);
  if (id === 'delete-security-group-members') {
    const group = state.securityGroups.rows.get(anyId(state.securityGroups, random));
    return { group_id: group?.id, member_ids: group?.members[0]?.id };
  }
  if (!/wallet/.test(id) || /create/.test(id)) return {};
  const { frozen } = state.wallets.indexes;
  const isGone = /unfreeze|delete/.test(id) && frozen.size > 0;
  return walletAim(state, isGone ? random.pick([...frozen]) : anyId(state.wallets, random));
}

function walletAim({ wallets }: VaultState, id: string): Record<string, string | undefined> {
  const wallet = wallets.rows.get(id);
  const address = wallet?.address || undefined;
  return { vault_id: wallet?.vaultId, address, addresses: address };
}

/** A member of a group whose policy asks for approvals. */
function signingAim(
  state: VaultState,
  wanted: 'key' | 'wallet',
  random: Random,
): Record<string, string | undefined> {
  const members = [...state.signingPolicies.rows.values()]
    .filter(({ rules }) => rules.some(({ then }) => typeof then === 'object'))
    .flatMap(({ securityGroupId: id }) => state.securityGroups.rows.get(id)?.members ?? [])
    .filter(({ type }) => type === wanted);
  if (members.length === 0) return {};
  const { id } = random.pick(members);
  return wanted === 'key' ? { key_id: id } : walletAim(state, id);
}

const NOTHING = Buffer.alloc(0);

function signedBy(key: KeyObject, message: Uint8Array): Buffer {
  return sign(null, message, key);
}

const moduli = new Map<string, Buffer>();

function modulus(bits: number, which: number): Buffer {
  const name = `${bits} ${which}`;
  const known = moduli.get(name) ?? rsaPublicKey(name, bits);
  moduli.set(name, known);
  return known;
}

/** What the parties would say, where there is something to say. */
function addressFor(family: Parameters<typeof addressOf>[0], publicKey: Uint8Array): string {
  return publicKey.length === 32 ? addressOf(family, publicKey) : '';
}

/** With a few bits turned, or another length; `size`: the length stays. */
function damaged(whole: Uint8Array, random: Random, size?: number): Buffer {
  const copy = Buffer.from(whole);
  if (copy.length === 0) return copy;
  const kind = size === undefined ? random.next() : 0;
  if (kind > 0.8) return copy.subarray(0, Math.floor(random.next() * copy.length));
  if (kind > 0.7) return Buffer.concat([copy, bytes(random)]);
  for (let turned = 0; turned < 1 + Math.floor(random.next() * 3); turned += 1) {
    copy[Math.floor(random.next() * copy.length)]! ^= 1 << Math.floor(random.next() * 8);
  }
  return copy;
}

function bytes(random: Random): Buffer {
  const long = random.chance(0.003) ? 310_000 : 200;
  const length = random.pick([0, 1, 9, 32, Math.floor(random.next() * long)]);
  const all = Buffer.alloc(length);
  for (let at = 0; at < length; at += 1) all[at] = Math.floor(random.next() * 256);
  // a kind of entry that there is, more often than not
  if (length > 0 && random.chance(0.7)) all[0] = 1 + Math.floor(random.next() * 11);
  return all;
}
