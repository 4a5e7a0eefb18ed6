/** Copies declarations of types with all that they name in other workspaces, so that they are understood elsewhere. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { ResolverFactory } from 'oxc-resolver';
import { readImports } from '../check/read-imports.js';

const resolver = new ResolverFactory({
  conditionNames: ['types'],
  extensionAlias: { '.js': ['.d.ts'] },
});

/**
 * `entries`: absolute. What a package declares that is none of ours stays its user's to install. Gives where below `folder` a
 * declaration lies now.
 */
export function copyDeclarations(
  entries: readonly string[],
  folder: string,
): (path: string) => string {
  const open = [...entries];
  const seen = new Set(open);
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const text = readFileSync(path, 'utf8');
    const ours = readImports(path, text).filter(isOurs);
    const targets = new Map(ours.map((specifier) => [specifier, targetOf(path, specifier)]));
    const target = join(folder, placeOf(path));
    mkdirSync(dirname(target), { recursive: true });
    writeFileSync(target, rewritten(text, placeOf(path), targets));
    for (const next of targets.values()) {
      if (seen.has(next)) continue;
      seen.add(next);
      open.push(next);
    }
  }
  return placeOf;
}

const isOurs = (specifier: string): boolean => /^(\.|@countersign\/)/.test(specifier);

function targetOf(path: string, specifier: string): string {
  const found = resolver.sync(dirname(path), specifier);
  if (found.path === undefined) throw new Error(`${path}: ${specifier} is not there`);
  return found.path;
}

/** As in the repository, without the folders that are built into. */
function placeOf(path: string): string {
  return relative(process.cwd(), path).replace('/dist/', '/');
}

function rewritten(text: string, place: string, targets: ReadonlyMap<string, string>): string {
  let written = text.replace(/^\/\/# sourceMappingURL=.*$/m, '');
  for (const [specifier, path] of targets) {
    const to = posix.relative(posix.dirname(place), placeOf(path)).replace(/\.d\.ts$/, '.js');
    const quoted = `'${to.startsWith('.') ? to : `./${to}`}'`;
    written = written.replaceAll(`'${specifier}'`, quoted).replaceAll(`"${specifier}"`, quoted);
  }
  // what it means by itself; below TypeScript 5.7 it has no parameter
  return written.replaceAll('Buffer<ArrayBufferLike>', 'Buffer');
}
