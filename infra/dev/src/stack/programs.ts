import { fileURLToPath } from 'node:url';

/** The repository's root: this file is built to `infra/dev/dist/stack/`. */
const ROOT = new URL('../../../../', import.meta.url);

/** A program as `npm run build` leaves it. */
export function programPath(
  workspace: 'gateway' | 'signer' | 'notifier' | 'infra/prices',
  name: string,
  folder: 'dist' | 'bench-dist' = 'dist',
): string {
  return fileURLToPath(new URL(`${workspace}/${folder}/${name}.js`, ROOT));
}
