/** `node workshop/dist/sweep/sweep.js [--json | --refused | --libraries] [venue ...]`: what bots on ccxt (or other libraries) would send, and what the vault makes of it. */
import { DESKS } from './desks.js';
import type { CcxtModule } from './offline-exchange.js';
import { runSweep } from './run-sweep.js';
import { countTable, libraryTable, refusedTable } from './sweep-report.js';
import { sweepLibraries } from './sweep-libraries.js';
import { tooLow } from './too-low.js';

/** As a variable, so that nobody compiles against it. */
const CCXT = 'ccxt';

const given = process.argv.slice(2);
const venues = given.filter((argument) => !argument.startsWith('--'));
if (given.includes('--libraries')) {
  const libraries = sweepLibraries();
  console.log(libraryTable(libraries));
  console.log(`\n${refusedTable(libraries.flatMap(({ requests }) => requests))}`);
} else {
  await sweepCcxt();
}

async function sweepCcxt(): Promise<void> {
  const { default: ccxt } = (await import(CCXT)) as { default: CcxtModule };
  const desks = DESKS.filter(({ venueId }) => venues.length === 0 || venues.includes(venueId));
  const { cases, requests } = await runSweep(ccxt, desks);
  if (given.includes('--json')) {
    for (const request of requests) console.log(JSON.stringify(request));
  } else {
    console.log(`${cases} cases, ${requests.length} signed requests that differ\n`);
    console.log(countTable(requests));
    if (given.includes('--refused')) console.log(`\n${refusedTable(requests)}`);
    console.log('\nless than their name says:');
    for (const { venueId, method, operationClass, request } of tooLow(requests)) {
      console.log(`  ${venueId} ${method}: ${operationClass} ${request.method} ${request.path}`);
    }
  }
}
