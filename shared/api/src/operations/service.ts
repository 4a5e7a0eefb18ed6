import { apiOperation, OPEN } from '../operation.js';
import { health, info, probe, signInFacts, systemInfo } from '../service-schema.js';
import { GENESIS_HASH, LEDGER_HEAD, NOW, VAULT_ID } from '../example-values.js';

const tag = 'service';

export const SERVICE_NAME = 'Countersign';
/** Version of the service and of its API description. */
export const VERSION = '0.1.0';
/** Version of the API's specification that the service follows. */
export const SPEC_VERSION = '0.3.0';

export const getHealthOperation = apiOperation({
  ...OPEN,
  tag,
  id: 'get-health',
  path: '/health',
  summary: 'Whether the service can sign',
  description:
    'Checks the stores and the three parties. Answers 200 when both stores answer and at least two parties are alive. Answers 503 with the same body when the vault cannot sign now.',
  response: health,
  alsoAnswers: [503],
  example: {
    response: {
      status: 'ok',
      version: VERSION,
      uptime_s: 86400,
      checks: {
        postgres: 'ok',
        ledger: 'ok',
        redis: 'ok',
        signers: { party_1: 'ok', party_2: 'ok', party_3: 'ok' },
        signing: 'ok',
        governance: 'ok',
        pin: 'ok',
      },
    },
  },
});

export const getLivenessOperation = apiOperation({
  ...OPEN,
  tag,
  id: 'get-liveness',
  path: '/health/live',
  summary: 'Whether the process answers',
  description:
    'For a supervisor, which restarts a process that does not answer. It checks nothing else.',
  response: probe,
  example: { response: { status: 'ok' } },
});

export const getReadinessOperation = apiOperation({
  ...OPEN,
  tag,
  id: 'get-readiness',
  path: '/health/ready',
  summary: 'Whether this gateway should get traffic',
  description:
    'For a load balancer. Answers 503 while a store does not answer, and from the moment the process is told to stop.',
  response: probe,
  alsoAnswers: [503],
  example: { response: { status: 'ok' } },
});

export const getInfoOperation = apiOperation({
  ...OPEN,
  tag,
  id: 'get-info',
  path: '/v1/info',
  summary: 'Name, versions, time and ledger head',
  description:
    'What a client checks first: whether this is the vault whose genesis it pinned, and whether its clock agrees with the service.',
  response: info,
  example: {
    response: {
      name: SERVICE_NAME,
      version: VERSION,
      spec_version: SPEC_VERSION,
      server_time: NOW,
      server_time_ms: Date.parse(NOW),
      vault_id: VAULT_ID,
      genesis_hash: GENESIS_HASH,
      ledger_head: LEDGER_HEAD,
      system_freeze: null,
    },
  },
});

export const getSignInFactsOperation = apiOperation({
  ...OPEN,
  tag,
  id: 'get-sign-in-facts',
  path: '/v1/sign-in',
  summary: 'What a page needs to know to sign somebody in',
  description:
    'Which vault this is, where its passkeys belong and whose tokens count. Public, as everything in it is seen by whoever signs in; a page compares `genesis_hash` with the one that it pinned.',
  response: signInFacts,
  example: {
    response: {
      vault_id: VAULT_ID,
      genesis_hash: GENESIS_HASH,
      relying_party: { id: 'vault.example.com', origins: ['https://vault.example.com'] },
      providers: [
        {
          kind: 'azure',
          issuer: 'https://login.microsoftonline.com/0d3c7a5e-52c1-4c1e-9f0e-6a4b6f0f7a11/v2.0',
          client_id: '7c1f2f0e-8f0a-4a52-9a3f-2f6d0d2b7e55',
        },
      ],
    },
  },
});

export const getSystemInfoOperation = apiOperation({
  ...OPEN,
  tag,
  id: 'get-system-info',
  path: '/v1/system-info',
  summary: 'Supported networks, assets and venues',
  description:
    'The published catalogue. Testnets stay in it with `enabled: false` while they are disabled in the system settings.',
  response: systemInfo,
  example: {
    response: {
      supported_blockchain_networks: [
        {
          family: 'solana',
          display_name: 'Solana',
          key_type: 'ed25519',
          networks: [
            {
              id: 'solana-mainnet',
              display_name: 'Solana',
              is_testnet: false,
              enabled: true,
              address_format: 'base58',
              assets: [{ id: 'solana-mainnet/sol', symbol: 'SOL', decimals: 9, is_native: true }],
            },
          ],
        },
      ],
      supported_venues: [
        {
          id: 'binance',
          display_name: 'Binance',
          key_types: ['ed25519', 'rsa', 'hmac'],
          operation_classes: ['read', 'trade', 'transfer', 'withdraw', 'unknown'],
        },
      ],
    },
  },
});

export const SERVICE_OPERATIONS = [
  getHealthOperation,
  getLivenessOperation,
  getReadinessOperation,
  getInfoOperation,
  getSignInFactsOperation,
  getSystemInfoOperation,
] as const;
