/** How Node finds and reads the sources in TypeScript that tests are, and reach: hooks of `node:module`. */
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { transform } from '@swc/core';

const GLOBALS = new URL('jest-globals.mjs', import.meta.url).href;

/** Workspaces give their sources where they are asked for them; `x.js` beside `x.ts` is what `x.ts` compiles to. */
export async function resolve(specifier, context, next) {
  if (specifier === '@jest/globals') return { url: GLOBALS, shortCircuit: true };
  const asked = { ...context, conditions: [...context.conditions, '@countersign/source'] };
  const isOfSource = specifier.startsWith('.') && /\.ts(\?|$)/.test(context.parentURL ?? '');
  if (!isOfSource || !specifier.endsWith('.js')) return next(specifier, asked);
  try {
    return await next(specifier.replace(/js$/, 'ts'), asked);
  } catch (error) {
    if (error.code !== 'ERR_MODULE_NOT_FOUND') throw error;
    return next(specifier, asked);
  }
}

export async function load(url, context, next) {
  if (!/\.ts(\?|$)/.test(url)) return next(url, context);
  const filename = fileURLToPath(url);
  const { code } = await transform(await readFile(filename, 'utf8'), {
    filename,
    swcrc: false,
    sourceMaps: 'inline',
    jsc: { target: 'es2022', parser: { syntax: 'typescript' } },
    module: { type: 'es6' },
  });
  return { format: 'module', source: code, shortCircuit: true };
}
