/** What is measured of keys: signing with imported and generated ones, making and importing them. */
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { toBigInt } from '@countersign/core/big-integers.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildImportRequest } from '@countersign/client/build-import-request.js';
import { valueOf } from '@countersign/client/call-result.js';
import type { CountersignClient, OperationInput } from '@countersign/client/countersign-client.js';
import type { ImportedSecret } from '@countersign/client/imported-secret.js';
import type { PinnedVault } from '@countersign/client/pinned-vault.js';
import { readGenesisPin } from '@countersign/admin/genesis/read-genesis.js';
import { adminClient, createCallers, type NamedCaller } from './bench-callers.js';
import type { OpenVault } from './bench-vault.js';
import { runLoad } from './load.js';
import { measureOffered, type Offered, type Plan } from './offered-load.js';
import type { Measured } from './measured.js';

const HMAC_KEYS = 16;
const RSA_KEYS = 2;
const RSA_RUNS = 20;
const REFUSALS_PER_SECOND = 20;
const IMPORTS = 1_000;
const IMPORTS_AT_ONCE = 16;

interface KeyRow {
  readonly id: string;
}

/** Orders for Binance, HMAC: the whole way from the bot's request to the complete signed one. */
export async function measureVenueSigning(open: OpenVault, plan: Plan): Promise<Measured[]> {
  const traffic = await prepareVenueTraffic(open, 'venue');
  return measureOffered(open, { name: 'venue sign, HMAC', traffic, maths: 'hmac' }, plan);
}

/** `purpose`: a name that this vault has no policy of. */
export async function prepareVenueTraffic(
  open: OpenVault,
  purpose: string,
): Promise<Offered['traffic']> {
  return withAdmin(open, async (admin) => {
    const importer = await createImporter(open, admin);
    const keys = await Promise.all(Array.from({ length: HMAC_KEYS }, () => importer.importKey()));
    const callers = await createCallers(admin, purpose);
    await allow(admin, purpose, keys, callers, { operation_classes: ['trade'] });
    return { kind: 'venue', callers, targets: keys.map(({ id }) => `/v1/keys/${id}/sign`) };
  });
}

/** What it costs to say no to a caller whom no rule names, and who sends as much as can be sent. */
export async function measureRefusals(open: OpenVault, seconds: number): Promise<Measured> {
  return withAdmin(open, async (admin) => {
    const { id } = await (await createImporter(open, admin)).importKey();
    const callers = await createCallers(admin, 'stranger');
    const job = {
      port: open.port,
      kind: 'stuffed',
      callers,
      targets: [`/v1/keys/${id}/sign`],
    } as const;
    const load = (duration: number) =>
      runLoad({ ...job, rate: REFUSALS_PER_SECOND, connections: 16, seconds: duration }, open);
    await load(2);
    return { name: '403 of a 64 KiB order', load: await load(seconds) };
  });
}

/** At one width: more only wait longer. */
const RSA_CONNECTIONS = 64;
const LONG_RSA_CONNECTIONS = 16;

export const rsaPlan = (plan: Plan): Plan => ({
  ...plan,
  connections: [RSA_CONNECTIONS],
  rates: [],
});

export async function measureRsaSigning(open: OpenVault, plan: Plan): Promise<Measured[]> {
  const traffic = await prepareRsaTraffic(open);
  return measureOffered(
    open,
    { name: 'raw-sign, RSA-2048', traffic, maths: 'rsa2048' },
    rsaPlan(plan),
  );
}

/** By keys that the three parties make. */
export async function prepareRsaTraffic(open: OpenVault): Promise<Offered['traffic']> {
  return withAdmin(open, async (admin) => {
    const keys: KeyRow[] = [];
    for (let index = 0; index < RSA_KEYS; index++) {
      keys.push(await generateRsa(admin, `signs ${index}`));
    }
    const callers = await createCallers(admin, 'rsa');
    await allow(admin, 'rsa', keys, callers, { operations: ['raw_sign'] });
    return { kind: 'key', callers, targets: keys.map(({ id }) => `/v1/keys/${id}/raw-sign`) };
  });
}

/** Imported: three parties would need minutes to make them. */
export async function measureLongRsaSigning(open: OpenVault, plan: Plan): Promise<Measured[]> {
  const traffic = await withAdmin(open, async (admin) => {
    const importer = await createImporter(open, admin);
    const keys: KeyRow[] = [];
    while (keys.length < RSA_KEYS) keys.push(await importer.importKey(rsaSecret(4_096)));
    const callers = await createCallers(admin, 'long rsa');
    await allow(admin, 'long rsa', keys, callers, { operations: ['raw_sign'] });
    const targets = keys.map(({ id }) => `/v1/keys/${id}/raw-sign`);
    return { kind: 'key', callers, targets } as const;
  });
  const offered = { name: 'raw-sign, RSA-4096', traffic, maths: 'rsa4096' } as const;
  return measureOffered(open, offered, { ...plan, connections: [LONG_RSA_CONNECTIONS], rates: [] });
}

/** One after the other, as the vault makes them; no stock. */
export async function measureRsaGeneration(open: OpenVault): Promise<Measured> {
  return withAdmin(open, async (admin) => {
    const seconds: number[] = [];
    for (let run = 0; run < RSA_RUNS; run++) {
      const startedAt = performance.now();
      await generateRsa(admin, `made ${run}`);
      seconds.push((performance.now() - startedAt) / 1_000);
    }
    return {
      name: 'RSA-2048, made by three parties',
      figures: {
        runs: RSA_RUNS,
        mean_seconds: seconds.reduce((sum, one) => sum + one, 0) / RSA_RUNS,
        min_seconds: Math.min(...seconds),
        max_seconds: Math.max(...seconds),
      },
    };
  });
}

/** Splitting and sealing at the desk included. */
export async function measureImport(open: OpenVault): Promise<Measured> {
  return withAdmin(open, async (admin) => {
    const importer = await createImporter(open, admin);
    const startedAt = performance.now();
    let left = IMPORTS;
    await Promise.all(
      Array.from({ length: IMPORTS_AT_ONCE }, async () => {
        while (left > 0) {
          left -= 1;
          await importer.importKey();
        }
      }),
    );
    const seconds = (performance.now() - startedAt) / 1_000;
    return { name: 'HMAC keys imported', figures: { keys: IMPORTS, seconds } };
  });
}

export async function withAdmin<Result>(
  { vault, stack }: OpenVault,
  run: (admin: CountersignClient) => Promise<Result>,
): Promise<Result> {
  const admin = adminClient(vault, stack);
  try {
    return await run(admin);
  } finally {
    admin.close();
  }
}

async function generateRsa(admin: CountersignClient, displayName: string): Promise<KeyRow> {
  return valueOf(
    await admin.call('generate-key', {
      body: { type: 'rsa', modulus_bits: 2048, display_name: displayName },
    }),
  );
}

type RuleCondition = OperationInput<'create-signing-policy'>['body']['rules'][number]['when'];

function allow(
  admin: CountersignClient,
  name: string,
  keys: readonly KeyRow[],
  callers: readonly NamedCaller[],
  when: RuleCondition,
): Promise<void> {
  return allowByRules(admin, name, keys, callers, [when]);
}

/** A policy of rules that allow these callers, in this order. */
export async function allowByRules(
  admin: CountersignClient,
  name: string,
  keys: readonly KeyRow[],
  callers: readonly NamedCaller[],
  conditions: readonly RuleCondition[],
): Promise<void> {
  const members = keys.map(({ id }) => ({ member_id: id, member_type: 'key' as const }));
  const group = valueOf(
    await admin.call('create-security-group', { body: { display_name: name, members } }),
  );
  const initiators = { user_ids: callers.map(({ id }) => id) };
  const rules = conditions.map((when, index) => ({
    display_name: `callers may (${index + 1})`,
    when: { ...when, initiators },
    then: 'allow' as const,
  }));
  valueOf(
    await admin.call('create-signing-policy', {
      body: { display_name: name, security_group_id: group.id, rules },
    }),
  );
}

function hmacSecret(): ImportedSecret {
  return { type: 'hmac', secret: randomBytes(48), passphrase: '', encoding: 'utf8' };
}

function rsaSecret(modulusLength: number): ImportedSecret {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength });
  const jwk = privateKey.export({ format: 'jwk' });
  const [modulus, p, q, d] = [jwk.n, jwk.p, jwk.q, jwk.d].map((value) =>
    toBigInt(Buffer.from(value!, 'base64url')),
  );
  return {
    type: 'rsa',
    modulus: modulus!,
    publicExponent: 65_537,
    p: p!,
    q: q!,
    d: d!,
    encoding: 'pkcs8',
  };
}

/** Imports a fresh secret each time, as a desk does: of Binance, unless another is given. */
export async function createImporter(
  open: OpenVault,
  admin: CountersignClient,
): Promise<{ importKey(secret?: ImportedSecret): Promise<KeyRow> }> {
  const pinned = await pinnedVault(open);
  const recipients = await recipientsOf(admin);
  let count = 0;
  return {
    async importKey(secret = hmacSecret()) {
      count += 1;
      const body = await buildImportRequest({
        ...pinned,
        secret,
        recipients,
        userId: open.vault.admin.user_id,
        now: Date.now(),
        displayName: `imported ${count}`,
        ...(secret.type === 'hmac' && { venueId: 'binance', venueApiKey: `apiKey${count}` }),
      });
      return valueOf(await admin.call('import-key', { body }));
    },
  };
}

export async function pinnedVault({ vault }: OpenVault): Promise<PinnedVault> {
  const pin = await readGenesisPin(vault.roleUrls.gateway);
  const identities = pin.parties.map(({ party, identity_public_key: identityPublicKey }) => ({
    party,
    identityPublicKey,
  }));
  return { genesisHash: pin.genesis_hash, identities };
}

/** Once all three parties have their import keys. */
export async function recipientsOf(admin: CountersignClient): Promise<unknown> {
  for (;;) {
    const answer = valueOf(await admin.call('get-import-recipients'));
    if (answer.recipients.length === 3) return answer;
    await sleep(100);
  }
}
