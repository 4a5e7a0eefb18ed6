import { readFileSync } from 'node:fs';
import { z } from 'zod';
import { isAssetName, isPriceName } from '@countersign/core/price-snapshot.js';
import { ConfigError } from '@countersign/runtime/process/config.js';

/** RFC 6901. */
const pointer = z.string().regex(/^(?:\/(?:[^~/]|~[01])*)+$/, 'must be a JSON pointer');

const sourceFields = {
  name: z.string().refine(isPriceName, 'must be letters, digits, `.`, `_` and `-`'),
  /** By asset: where in the answer the price of one is, in USD. */
  prices: z
    .record(z.string().refine(isAssetName, 'must be an asset such as BTC'), pointer)
    .refine((prices) => Object.keys(prices).length > 0, 'must say where a price is'),
  /** What is older than this says nothing. */
  max_age_s: z.int().min(1).max(86_400).prefault(60),
};

const fileSource = z.strictObject({
  ...sourceFields,
  type: z.literal('file'),
  /** Its age is that of its last change. */
  file: z.string().min(1),
});

const httpSource = z.strictObject({
  ...sourceFields,
  type: z.literal('http'),
  url: z.url().refine(isSafeUrl, 'must be https, or http to this host itself'),
  /** Where the answer says its own time. Absent: it is as old as the asking. */
  time: z.strictObject({ pointer, unit: z.enum(['ms', 's', 'rfc3339']) }).optional(),
});

const sourcesFile = z
  .strictObject({
    relay: z.string().refine(isPriceName, 'must be letters, digits, `.`, `_` and `-`'),
    every_s: z.int().min(1).max(600).prefault(5),
    sources_needed: z.int().min(1),
    max_spread_bps: z.int().min(1).max(10_000).prefault(200),
    sources: z
      .array(z.discriminatedUnion('type', [fileSource, httpSource]))
      .min(1)
      .max(32),
  })
  .refine(({ sources, sources_needed: needed }) => needed <= sources.length, {
    path: ['sources_needed'],
    message: 'is more than there are sources',
  })
  .refine(({ sources }) => new Set(sources.map(({ name }) => name)).size === sources.length, {
    path: ['sources'],
    message: 'names a source twice',
  });

export type RelaySources = z.output<typeof sourcesFile>;
export type PriceSource = RelaySources['sources'][number];

/** Throws ConfigError, naming what is wrong in the file. */
export function readRelaySources(file: string): RelaySources {
  let given: unknown;
  try {
    given = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new ConfigError(`${file}: ${error instanceof Error ? error.message : String(error)}`);
  }
  const read = sourcesFile.safeParse(given);
  if (read.success) return read.data;
  const [issue] = read.error.issues;
  throw new ConfigError(`${file}: ${issue!.path.join('.')}: ${issue!.message}`);
}

/** Whoever is between could say any price. */
function isSafeUrl(text: string): boolean {
  const { protocol, hostname, username, password } = new URL(text);
  const isLocal = ['127.0.0.1', '[::1]', 'localhost'].includes(hostname);
  return username + password === '' && (protocol === 'https:' || (protocol === 'http:' && isLocal));
}
