/** How the vault's programs and threads become a few files: what is left apart, and what is written otherwise. */
import { fileURLToPath } from 'node:url';
import { rolldown, type OutputOptions, type Plugin, type RolldownLog } from 'rolldown';
import { unclonedSpreads } from './spread-literals.js';

/** The repository's folder. */
export const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

const APART = ['libsodium-wrappers-sumo', 'swagger-ui-dist'];

/** Node 20 has no `navigator`: the PostgreSQL client, looking for Cloudflare's, would load all of `fetch` instead. */
const AS_NODE_22 = { navigator: '{ "userAgent": "Node.js" }' };

/**
 * CommonJS that threads need too, and that a start seldom needs. An `import` would have Node read all of it for names: half
 * of a thread's start; and one that runs later finds no loader in a program that came from V8's code cache.
 */
const REQUIRED = ['piscina', 'sodium-native', 'typeorm'];
const REQUIRED_FROM = '\0required:';
const REQUIRED_APART: Plugin = {
  name: 'required-apart',
  resolveId(id, from) {
    if (!REQUIRED.includes(id)) return null;
    return from?.startsWith(REQUIRED_FROM) === true ? { id, external: true } : REQUIRED_FROM + id;
  },
  load: (id) =>
    id.startsWith(REQUIRED_FROM)
      ? `module.exports = require('${id.slice(REQUIRED_FROM.length)}');`
      : null,
};

/**
 * Writes a bundle of each of `input`, built modules by the names of what is written, where `output` says. Maps lie beside
 * them. Rejects where one of them cannot be read, or imports what is not there.
 */
export async function bundle(
  input: Readonly<Record<string, string>>,
  output: OutputOptions,
): Promise<void> {
  const made = await rolldown({
    cwd: ROOT,
    platform: 'node',
    input: { ...input },
    plugins: [REQUIRED_APART, unclonedSpreads()],
    external: APART.map((name) => new RegExp(`^${name}(/|$)`)),
    transform: { define: AS_NODE_22 },
    checks: { bundlerTimings: false }, // that is `unclonedSpreads`: it reads all of it
    logLevel: 'warn',
    onLog: (level, log, handle) => isKnown(log) || handle(level, log),
  });
  await made.write({ ...output, comments: false, sourcemap: true });
  await made.close();
}

/** The development provider's old `depd` names a wrapped function's parameters by `eval`; no program of a vault has it. */
function isKnown({ code, message }: RolldownLog): boolean {
  return code === 'EVAL' && message.includes('/http-assert/node_modules/depd/');
}
