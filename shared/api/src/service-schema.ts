import { z } from 'zod';
import { dateTime, id } from './primitives.js';

const checkState = z.enum(['ok', 'unavailable']);

export const health = z
  .strictObject({
    status: z.enum(['ok', 'degraded']),
    version: z.string(),
    uptime_s: z.number(),
    checks: z.strictObject({
      postgres: checkState,
      redis: checkState,
      signers: z.strictObject({ party_1: checkState, party_2: checkState, party_3: checkState }),
    }),
  })
  .meta({ id: 'Health' });

export const probe = z
  .strictObject({ status: z.enum(['ok', 'unavailable']) })
  .meta({ id: 'Probe' });

export const info = z
  .strictObject({
    name: z.string(),
    version: z.string(),
    spec_version: z.string(),
    server_time: dateTime,
    server_time_ms: z.int(),
    vault_id: z.string(),
    genesis_hash: z.string(),
    ledger_head: z.strictObject({ seq: z.int(), hash: z.string() }),
  })
  .meta({ id: 'Info' });

export const systemInfo = z
  .strictObject({
    supported_blockchain_networks: z.array(
      z.strictObject({
        family: z.string(),
        display_name: z.string(),
        key_type: z.literal('ed25519'),
        networks: z.array(
          z.strictObject({
            id: z.string(),
            display_name: z.string(),
            is_testnet: z.boolean(),
            enabled: z.boolean(),
            address_format: z.string(),
            assets: z.array(
              z.strictObject({
                id: z.string(),
                symbol: z.string(),
                decimals: z.int(),
                is_native: z.boolean(),
                contract: z.string().optional(),
              }),
            ),
          }),
        ),
      }),
    ),
    supported_venues: z.array(
      z.strictObject({
        id: z.string(),
        display_name: z.string(),
        key_types: z.array(z.string()),
        operation_classes: z.array(z.string()),
      }),
    ),
  })
  .meta({ id: 'SystemInfo' });

export const requestRecord = z
  .strictObject({
    request_id: id,
    operation: z.string(),
    status: z.enum(['processing', 'completed', 'failed', 'rejected', 'expired', 'cancelled']),
    phase: z.enum(['queued', 'awaiting_approval', 'working']).optional(),
    progress: z
      .strictObject({ candidates_tried: z.int(), candidates_expected: z.int() })
      .optional()
      .meta({
        description:
          'Of an RSA key generation. The number of candidates needed is geometrically distributed around the expected one: no percentage.',
      }),
    created_at: dateTime,
    created_by: id,
    expires_at: dateTime.nullable(),
    completed_at: dateTime.optional(),
    result: z.unknown().optional(),
    error: z.strictObject({ err_type: z.string(), err_msg: z.string() }).optional(),
    approvals: z.strictObject({ required: z.int(), given: z.array(z.string()) }),
  })
  .meta({ id: 'RequestRecord' });

export const auditEntry = z
  .strictObject({
    chain: z.string().meta({
      description: 'Which hash chain: `ledger`, or the id of one writing process.',
    }),
    seq: z.int().meta({ description: 'Position in its chain.' }),
    time: dateTime,
    actor: z.string(),
    action: z.string(),
    resource: z.strictObject({
      type: z.string(),
      ids: z.array(z.string()),
      vault_ids: z.array(z.string()),
      wallet_addresses: z.array(z.string()),
      key_ids: z.array(z.string()),
      user_ids: z.array(z.string()),
    }),
    outcome: z.enum(['allowed', 'denied', 'failed']),
    request_id: z.string().nullable(),
    policy: z
      .strictObject({ id: z.string(), version: z.int(), rule_id: z.string().optional() })
      .optional(),
    details: z.record(z.string(), z.unknown()),
    prev_hash: z.string(),
    hash: z.string(),
  })
  .meta({ id: 'AuditEntry' });

export const auditPage = z
  .strictObject({ results: z.array(auditEntry), next_cursor: z.string().nullable() })
  .meta({ id: 'AuditPage' });
