import { readFileSync } from 'node:fs';
import { z } from 'zod';

export class ConfigError extends Error {}

/**
 * Reads a process's environment once, into one typed, frozen object. All problems are told together. Variables that
 * the schema does not name are left alone, except those that begin with `COUNTERSIGN_`: a misspelt one must not be
 * ignored.
 */
export function readConfig<Shape extends z.ZodRawShape>(
  schema: z.ZodObject<Shape>,
  environment: Readonly<Record<string, string | undefined>>,
): Readonly<z.output<z.ZodObject<Shape>>> {
  const known = Object.keys(schema.shape);
  const stray = Object.keys(environment).filter(
    (name) => name.startsWith('COUNTERSIGN_') && !known.includes(name),
  );
  const given = Object.fromEntries(
    known.flatMap((name) => (environment[name] === undefined ? [] : [[name, environment[name]]])),
  );
  const result = schema.safeParse(given);
  const problems = [
    ...stray.map((name) => `${name}: no such setting`),
    ...(result.success
      ? []
      : result.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)),
  ];
  if (!result.success || problems.length > 0) throw new ConfigError(problems.join('\n'));
  return Object.freeze(result.data);
}

/** A whole number within bounds; `fallback` when absent. */
export const integer = (fallback: number, min: number, max: number) =>
  z
    .string()
    .regex(/^\d+$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.number().min(min).max(max))
    .prefault(String(fallback));

export const logLevel = z
  .enum(['fatal', 'error', 'warn', 'info', 'debug', 'silent'])
  .prefault('info');

/** `allowed`: webhooks may go to this host itself, without TLS. For development and tests alone. */
export const webhookLoopback = z.enum(['refused', 'allowed']).prefault('refused');

/** The content of a secret's file, without the newline at its end. */
export function readSecretFile(path: string): string {
  return readFileSync(path, 'utf8').trimEnd();
}
