/** How the vault's programs and threads become a few files: what is left apart, and what is written otherwise. */
import { fileURLToPath } from 'node:url';
import { rolldown, type OutputOptions, type Plugin, type RolldownLog } from 'rolldown';

/** The repository's folder. */
export const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

const APART = [
  /^libsodium-wrappers-sumo(\/|$)/,
  /^swagger-ui-dist(\/|$)/,
  'sodium-native/binding',
  // native code, which a party with a PKCS#11 token loads when it starts
  'koffi',
  // its interface is loaded by prom-client, and the rest where a collector is named
  /^@opentelemetry\//,
];

/**
 * CommonJS that threads need too, and that a start seldom needs. An `import` would have Node read all of it for names: half
 * of a thread's start.
 */
const REQUIRED = ['piscina', 'typeorm'];
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
 * The native code of `sodium-native`, where its package has it for this machine. The package looks for it in a dozen places by
 * its manifests, which takes each process and thread as long as a third of a party's other modules; here it comes after.
 */
const SODIUM_BINDING = `
  const { platform, arch } = process;
  try {
    module.exports = require('sodium-native/prebuilds/' + platform + '-' + arch + '/sodium-native.node');
  } catch {
    module.exports = require('sodium-native/binding');
  }
`;
const NATIVE_BY_PLACE: Plugin = {
  name: 'native-by-place',
  load: (id) => (id.endsWith('/sodium-native/binding.js') ? SODIUM_BINDING : null),
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
    plugins: [REQUIRED_APART, NATIVE_BY_PLACE],
    external: APART,
    logLevel: 'warn',
    onLog: (level, log, handle) => isKnown(log) || handle(level, log),
  });
  await made.write({ ...output, comments: false, sourcemap: true });
  await made.close();
}

/**
 * The development provider's old `depd` names a wrapped function's parameters by `eval`; no program of a vault has it.
 * bull-board looks for its page by `eval` where it is not told where that is: the gateway tells it.
 */
const EVALS = ['/http-assert/node_modules/depd/', '/@bull-board/api/dist/index.js'];

function isKnown({ code, message }: RolldownLog): boolean {
  return code === 'EVAL' && EVALS.some((file) => message.includes(file));
}
