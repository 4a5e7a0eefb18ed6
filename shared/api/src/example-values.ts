/** One small vault that is used in the examples of all operations. */

export const USER_ID = '5b0c1f7e-2f7c-8a11-9d3e-6a1f0c9b7d21';
export const OPERATOR_ID = '0d1e52c4-97ab-8f3a-b6c5-1e0f4a7d9b38';
export const USER_GROUP_ID = '9a4e7d10-6c5b-8e2f-8f11-3b2a1c0d9e87';
export const ADMIN_POLICY_ID = 'c2d3e4f5-a6b7-8c9d-ae0f-112233445566';
export const VAULT_ID = '71f0a9b8-1c2d-8e3f-9405-a6b7c8d9e0f1';
export const WALLET_ID = '2b3c4d5e-6f70-8182-9394-a5b6c7d8e9f0';
export const WALLET_KEY_ID = 'e1d2c3b4-a596-8788-b97a-6b5c4d3e2f10';
export const KEY_ID = '4f5e6d7c-8b9a-80b1-a2c3-d4e5f6071829';
export const SECURITY_GROUP_ID = '8e7d6c5b-4a39-8281-b706-f5e4d3c2b1a0';
export const SIGNING_POLICY_ID = '3a2b1c0d-9e8f-87a6-85b4-c3d2e1f00918';
export const RULE_ID = '6d5c4b3a-2918-8071-a6f5-e4d3c2b1a090';
export const REQUEST_ID = 'b7a69584-7362-8150-8f3e-2d1c0b9a8f7e';
/** The ids of its items 0 and 1, if it is of a batch. */
export const ITEM_ID = '862f93e9-c080-87f1-bbb3-cf62c0dc34e3';
export const OTHER_ITEM_ID = '1468288a-95c2-8581-8bea-85fb43ea9fc7';

export const ADDRESS_LIST_ID = '5a4b3c2d-1e0f-8a9b-8c7d-6e5f4a3b2c1d';
export const WEBHOOK_ID = '1f2e3d4c-5b6a-8798-8a5b-4c3d2e1f0a9b';
export const EVENT_ID = '6a5b4c3d-2e1f-80a9-9b8c-7d6e5f4a3b2c';

const ALARM_ID = '4d3c2b1a-0f9e-4d8c-9b7a-695847362514';

export const ADDRESS = '586Z7H2vpX9qNhN2T4e9Utugie3ogjbxzGaMtM3E6HR5';
const WALLET_SPKI_PEM =
  '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEAPUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=\n-----END PUBLIC KEY-----\n';
const WALLET_PUBLIC_KEY = 'PUAXw+hDiVqStwqnTRt+vJyYLM8uxJaMwM1V8Sr0Zgw=';

/** Public test keys of RFC 8032, section 7.1. */
export const MACHINE_PUBLIC_KEY = '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo';
const KEY_PUBLIC_KEY = '11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=';
const KEY_SPKI_PEM =
  '-----BEGIN PUBLIC KEY-----\nMCowBQYDK2VwAyEA11qYAYKxCrfVS/7TyWQHOg7hcvPapiMlrwIaaPcHURo=\n-----END PUBLIC KEY-----\n';

export const SIGNATURE =
  '5VZDAMNgrHKQhuLMgG6CioSHfx645dl02HPgZSJJAVVfuIIVkKM7rMYeOXAc+bRr0lv18FlbviRlUUFDjnoQCw==';
const HASH = '3c8a7f0e6b5d4c3b2a19080f7e6d5c4b3a2918070f6e5d4c3b2a190807f6e5d4';
const OTHER_HASH = 'a41f7cbe09d2586334fe0c1d7b8a96522f3e4d5c6b7a89980716253443526170';
export const CREATED_AT = '2026-11-02T09:30:00.000Z';
export const NOW = '2026-11-02T10:15:00.000Z';

const stamps = {
  created_at: CREATED_AT,
  created_by: OPERATOR_ID,
  last_updated_at: CREATED_AT,
  last_updated_by: OPERATOR_ID,
};

export const userGroupReference = {
  id: USER_GROUP_ID,
  display_name: 'Traders',
  description: null,
};

export const userGroup = { ...userGroupReference, ...stamps };

const machineUser = {
  id: USER_ID,
  type: 'machine' as const,
  display_name: 'Market maker 1',
  description: 'Quotes SOL/USDC',
  user_groups: [userGroupReference],
  ...stamps,
};

export const PASSKEY_ID = '7a6b5c4d-3e2f-4a1b-8c9d-0e1f2a3b4c5d';
export const PASSKEY_CREDENTIAL_ID = 'dGhlIGF1dGhlbnRpY2F0b3Jz';
/** An Ed25519 key as SubjectPublicKeyInfo. */
export const PASSKEY_PUBLIC_KEY = 'MCowBQYDK2VwAyEA11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo';
/** SHA-256 of `vault.example.com`, flags UP, UV, BE and BS, counter 0. */
export const PASSKEY_AUTHENTICATOR_DATA = 'QJm-liBkZdUY5aI1Z5_X2Rz2JfA_XBKxfj-Fy2VMxAEdAAAAAA';

export const passkey = {
  id: PASSKEY_ID,
  user_id: USER_ID,
  display_name: 'Key of my laptop',
  credential_id: PASSKEY_CREDENTIAL_ID,
  created_at: CREATED_AT,
  backup_eligible: true,
  backed_up: true,
};

export const createdMachineUser = {
  ...machineUser,
  api_key: 'f0e1d2c3-b4a5-8697-8879-6a5b4c3d2e1f',
};

export const fullUser = {
  ...machineUser,
  status: 'active' as const,
  frozen_by: [],
  credentials: [
    {
      id: 'd4c3b2a1-9080-8f7e-a6d5-c4b3a2918070',
      type: 'ed25519' as const,
      created_at: CREATED_AT,
    },
  ],
};

export const adminPolicy = {
  id: ADMIN_POLICY_ID,
  display_name: 'Traders may see everything',
  action: 'view_system_resources' as const,
  effect: 'allow' as const,
  subjects: { user_ids: [], user_group_ids: [USER_GROUP_ID] },
  scope: {},
  version: 1,
  ...stamps,
};

export const vault = {
  id: VAULT_ID,
  display_name: 'Treasury',
  description: 'Cold funds of the desk',
  status: 'active' as const,
  frozen_by: [],
  wallet_count: 1,
  ...stamps,
};

const attestations = [1, 2, 3].map((party) => ({
  party,
  signature: SIGNATURE,
  ceremony_hash: HASH,
}));

export const wallet = {
  id: WALLET_ID,
  vault_id: VAULT_ID,
  address: ADDRESS,
  network_family: 'solana' as const,
  networks: ['solana-mainnet'],
  public_key: { pem: WALLET_SPKI_PEM, raw: WALLET_PUBLIC_KEY },
  key_id: WALLET_KEY_ID,
  display_name: 'Solana wallet',
  labels: {},
  status: 'active' as const,
  frozen_by: [],
  attestations,
  ...stamps,
};

export const key = {
  id: KEY_ID,
  display_name: 'Desk one at Binance',
  description: null,
  type: 'ed25519' as const,
  scheme: 'ed25519' as const,
  custody: 'mpc' as const,
  public_key: { pem: KEY_SPKI_PEM, raw: KEY_PUBLIC_KEY },
  venue_id: 'binance',
  venue_api_key: 'vmPUZE6mv9SD5VNHk4HlWFsOr6aKE2zvsw0MuIgwCIPy6utIco14y7Ju91duEh8A',
  labels: { desk: 'one' },
  status: 'active' as const,
  frozen_by: [],
  version: 1,
  attestations,
  ...stamps,
};

export const securityGroup = {
  id: SECURITY_GROUP_ID,
  display_name: 'Desk one',
  members: [{ member_id: KEY_ID, member_type: 'key' as const }],
  signing_policy_ids: [SIGNING_POLICY_ID],
  ...stamps,
};

export const ruleBody = {
  display_name: 'Traders may trade',
  when: {
    operations: ['sign' as const],
    initiators: { user_group_ids: [USER_GROUP_ID] },
    venue_ids: ['binance'],
    operation_classes: ['read' as const, 'trade' as const],
  },
  then: 'allow' as const,
};

export const signingPolicy = {
  id: SIGNING_POLICY_ID,
  display_name: 'Trading at Binance',
  security_group_id: SECURITY_GROUP_ID,
  position: 1,
  version: 1,
  rules: [
    {
      ...ruleBody,
      id: RULE_ID,
      enabled: true,
      when: { ...ruleBody.when, initiators: { user_ids: [], user_group_ids: [USER_GROUP_ID] } },
    },
  ],
  ...stamps,
};

export const policyReference = { id: SIGNING_POLICY_ID, version: 1, rule_id: RULE_ID };

/** Of a signature by parties 1 and 2. */
export function receiptOf(keyId: string) {
  return {
    request_id: REQUEST_ID,
    key_id: keyId,
    message_sha256: OTHER_HASH,
    signature_sha256: HASH,
    answer_sha256: OTHER_HASH,
    policy: policyReference,
    approvals: [],
    ledger_seq: 42,
    ledger_hash: HASH,
    rules_version: 1,
    parties: [1, 2],
    signed_at: NOW,
    signatures: [1, 2].map((party) => ({
      party,
      leaf_index: 0,
      tree_size: 2,
      inclusion_path: [HASH],
      signature: SIGNATURE,
    })),
  };
}

export const venueRequest = {
  method: 'POST',
  path: '/api/v3/order',
  query: 'symbol=SOLUSDC&side=BUY&type=LIMIT&timeInForce=GTC&quantity=2&price=150.00',
  channel: 'rest' as const,
};

export const auditEntry = {
  chain: 'ledger',
  seq: 42,
  time: CREATED_AT,
  actor: OPERATOR_ID,
  action: 'create-vault',
  resource: {
    type: 'vault',
    ids: [VAULT_ID],
    vault_ids: [VAULT_ID],
    wallet_addresses: [],
    key_ids: [],
    user_ids: [],
  },
  outcome: 'allowed' as const,
  request_id: REQUEST_ID,
  policy: { id: ADMIN_POLICY_ID, version: 1 },
  details: {},
  prev_hash: HASH,
  hash: OTHER_HASH,
};

export const alarm = {
  id: ALARM_ID,
  kind: 'party_misbehaved' as const,
  at: CREATED_AT,
  accuser: 'party_1' as const,
  party: 2,
  request_id: REQUEST_ID,
  reason: 'partner-share',
  count: 1,
  evidence: 'AQIDBA==',
  evidence_bytes: 4,
  signature: SIGNATURE,
  is_verified: true,
};

export const addressList = {
  id: ADDRESS_LIST_ID,
  display_name: 'Cold storage',
  description: null,
  entries: [
    { address: ADDRESS, display_name: 'Vault in Zug' },
    { address: 'bc1qcoldstorage', display_name: 'Bank' },
  ],
  version: 1,
  ...stamps,
};

export const webhook = {
  id: WEBHOOK_ID,
  display_name: 'Security desk',
  url: 'https://hooks.example.com/countersign',
  events: ['freeze.changed', 'alarm.raised'],
  enabled: true,
  version: 1,
  ...stamps,
};

export const webhookDelivery = {
  event_id: EVENT_ID,
  event_type: 'freeze.changed',
  status: 'delivered' as const,
  attempts: 1,
  response_status: 204,
  error: null,
  created_at: CREATED_AT,
  next_attempt_at: null,
};

export const GENESIS_HASH = '92b7c1e5d40f8a36b2c9e17d5f04a83b6c1d2e9f7a508b34c6d1e2f3a4b5c6d7';
export const LEDGER_HEAD = { seq: 42, hash: OTHER_HASH };

/** Each party's part of a secret, sealed to it. */
export const sealedShares = ([1, 2, 3] as const).map((party) => ({
  party,
  recipient_id: recipientId(party),
  sealed: `${SIGNATURE.slice(0, 80)}${SIGNATURE}`,
}));

export function recipientId(party: number): string {
  return `10a1b2c3-d4e5-8f60-9718-2a3b4c5d6e0${party}`;
}

export const RECIPIENT_PUBLIC_KEY = 'hSDwCYkwp1R0i33ctD73Wg2/Og0mOBr066SpjqqbTmo=';

/** A change that waits for its first approval. */
export const pendingRequest = {
  request_id: REQUEST_ID,
  operation: 'create-vault',
  status: 'processing' as const,
  phase: 'awaiting_approval' as const,
  created_at: CREATED_AT,
  created_by: OPERATOR_ID,
  expires_at: '2026-11-03T09:30:00.000Z',
  approvals: { required: 2, given: [] as string[] },
  asked_by: [{ policy_id: ADMIN_POLICY_ID, version: 1, quorum: 2 }],
  digest: HASH,
  content: {
    transcript: OTHER_HASH,
    method: 'POST',
    path: '/v1/vaults',
    query: '',
    body: 'eyJkaXNwbGF5X25hbWUiOiJUcmVhc3VyeSJ9',
  },
};
