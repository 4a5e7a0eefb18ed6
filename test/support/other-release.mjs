// Preloaded into a gateway or a party: makes it speak the versions of the protocol that the query of this module's URL
// names as `oldest` and `newest`, as a process of another release does. The forms stay those of today, so what differs
// between the versions is what says which one it is, under every seal. No option of the product can do this.
import { registerHooks } from 'node:module';
import { isMainThread } from 'node:worker_threads';

const { searchParams } = new URL(import.meta.url);
const OF_TODAY = /const SPOKEN = \{\s*oldest: \d+,\s*newest: \d+\s*\};/g;
const ofOther = `const SPOKEN = { oldest: ${searchParams.get('oldest')}, newest: ${searchParams.get('newest')} };`;

function withOther(source) {
  const parts = String(source).split(OF_TODAY);
  if (parts.length !== 2) throw new Error('the program does not say which versions it speaks');
  return parts.join(ofOther);
}

// threads know no version
if (isMainThread) {
  registerHooks({
    load(url, context, nextLoad) {
      const loaded = nextLoad(url, context);
      return url.endsWith('/bundle/program.cjs')
        ? { ...loaded, source: withOther(loaded.source) }
        : loaded;
    },
  });
}
