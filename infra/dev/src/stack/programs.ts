import { fileURLToPath } from 'node:url';

/** The repository's root: this file is built to `infra/dev/dist/stack/`. */
const ROOT = new URL('../../../../', import.meta.url);

/** One of a vault's programs, bundled, as everybody starts it (build/bundle-programs.ts). */
export function bundledProgram(
  workspace: 'gateway' | 'signer' | 'notifier' | 'infra/prices',
  name: string,
): string {
  return fileURLToPath(new URL(`${workspace}/bundle/${name}.js`, ROOT));
}

/** A program that is started seldom, as the compiler leaves it. */
export function programPath(
  workspace: 'gateway' | 'signer',
  name: string,
  folder: 'dist' | 'bench-dist' = 'dist',
): string {
  return fileURLToPath(new URL(`${workspace}/${folder}/${name}.js`, ROOT));
}
