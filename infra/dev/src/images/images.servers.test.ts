/** What the bundles look for outside themselves is in the images that have them. `npx jest` of unit tests builds none. */
import { readdirSync, readFileSync } from 'node:fs';
import { builtinModules, createRequire } from 'node:module';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { ROOT } from '../build/bundle.js';
import { IMAGES } from './images.js';

const require = createRequire(import.meta.url);

/** What libraries try to load and do without: drivers of other databases, native code that speeds something up. */
const installed = (name: string): boolean =>
  require.resolve.paths(name)!.some((folder) => {
    try {
      return readFileSync(join(folder, name, 'package.json')).length > 0;
    } catch {
      return false;
    }
  });

/** Packages that the program's files name in an `import` or a `require`. */
function packagesOf(program: string): string[] {
  const folder = join(ROOT, program, 'bundle');
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const texts = files
    .filter((name) => /\.c?js$/.test(name) && !name.includes('code-cache'))
    .map((name) => readFileSync(join(folder, name), 'utf8'));
  const found = texts.flatMap((text) =>
    [
      ...text.matchAll(
        /\b(?:require|import|from)\s*\(?\s*["']((?:@[\w-]+\/)?[\w-]+)(?:\/[^"'\s]*)?["']/g,
      ),
    ].map((match) => match[1]!),
  );
  return [...new Set(found)].filter((name) => !builtinModules.includes(name) && installed(name));
}

describe.each(['gateway', 'signer'] as const)('the image of the %s', (image) => {
  const { programs, folders, packages } = IMAGES[image];
  const held = [...packages, ...folders.map((folder) => folder.replace('node_modules/', ''))];
  it.each(programs)('has what the bundle of %s looks for', (program) => {
    expect(packagesOf(program).filter((name) => !held.includes(name))).toEqual([]);
  });
});
