/**
 * Programs in one file of CommonJS, and what V8 made of them beside it: a process that finds that spends none of its
 * start on reading three megabytes of JavaScript.
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { constants, Script } from 'node:vm';

const DIGEST_BYTES = 32;

export interface CachedProgram {
  /** Whether what V8 had made of it was there, and is of this very text and this V8. */
  readonly isCached: boolean;
  /** What it exports. */
  run(): unknown;
  /** Keeps what V8 has made of it until now, functions that have run included. */
  saveCache(): void;
}

type ModuleFunction = (
  exports: object,
  require: NodeJS.Require,
  module: { exports: object },
  filename: string,
  folder: string,
) => void;

/** `file` is absolute. A cache that does not fit is as none: the program starts all the same, and later. */
export function openCachedProgram(file: string): CachedProgram {
  const text = readFileSync(file);
  const cachedData = readCache(file, text);
  const parameters = 'exports, require, module, __filename, __dirname';
  // strict, as the modules were that it is made of
  const script = new Script(`(function (${parameters}) { 'use strict'; ${text.toString()}\n})`, {
    filename: file,
    cachedData,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  });
  return {
    isCached: script.cachedDataRejected === false,
    run() {
      const module = { exports: {} };
      const run = script.runInThisContext() as ModuleFunction;
      run(module.exports, createRequire(file), module, file, dirname(file));
      return module.exports;
    },
    saveCache() {
      const data = script.createCachedData();
      writeFileSync(cacheFileOf(file), Buffer.concat([digestOf(text, data), data]));
    },
  };
}

function cacheFileOf(file: string): string {
  return `${file}.cache`;
}

/** V8 itself compares no more of a text than its length. */
function digestOf(text: Buffer, data: Buffer): Buffer {
  return createHash('sha256').update(text).update(data).digest();
}

function readCache(file: string, text: Buffer): Buffer | undefined {
  const path = cacheFileOf(file);
  if (!existsSync(path)) return undefined;
  const bytes = readFileSync(path);
  const data = bytes.subarray(DIGEST_BYTES);
  return digestOf(text, data).equals(bytes.subarray(0, DIGEST_BYTES)) ? data : undefined;
}
