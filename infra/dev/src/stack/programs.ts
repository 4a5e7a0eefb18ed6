import { fileURLToPath } from 'node:url';
import { PROGRAMS, isStale } from '../build/stale-bundles.js';

/** The repository's root: this file is built to `infra/dev/dist/stack/`. */
const ROOT = new URL('../../../../', import.meta.url);

let areKnownFresh = false;

/** `infra/launch.mjs` has compared them, and all that they are made of, with those of its last build: nobody needs to look again. */
export function takeBundlesAsFresh(): void {
  areKnownFresh = true;
}

/**
 * One of a vault's programs, bundled, as everybody starts it (build/bundle-programs.ts). Throws where what was compiled
 * since is not in it: whoever changes a program does not want to try the old one.
 */
export function bundledProgram(
  workspace: 'gateway' | 'signer' | 'notifier' | 'infra/prices',
  name: string,
): string {
  areKnownFresh ||= !isStale(fileURLToPath(ROOT), PROGRAMS);
  if (!areKnownFresh) throw new Error('the bundled programs are stale: npm run build');
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
