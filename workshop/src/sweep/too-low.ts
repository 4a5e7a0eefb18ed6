/** The worst that a sweep could find: a request whose class is less than what it does. */
import type { OperationClass } from '@countersign/core/vocabulary.js';
import type { SweptRequest } from './run-sweep.js';

const SEVERITY: Readonly<Partial<Record<SweptRequest['operationClass'], number>>> = {
  read: 0,
  cancel: 1,
  trade: 2,
  transfer: 3,
  withdraw: 4,
};

type Expectation = readonly [named: RegExp, least: OperationClass];

/** By ccxt's name of the method. */
const METHODS: readonly Expectation[] = [
  [/^withdraw/, 'withdraw'],
  [/^transfer/, 'transfer'],
  [/^(?:create|edit|set|add|reduce|borrow|repay|close|redeem|upgrade)/, 'trade'],
  [/^cancel/, 'cancel'],
];

/** By the path of what is not a GET. */
const PATHS: readonly Expectation[] = [
  [/withdraw/i, 'withdraw'],
  [/transfer|move_funds/i, 'transfer'],
  [/borrow|loan|repay|leverage|margin-?mode|position-?mode/i, 'trade'],
];

/** What a method asks before it begins, and takes away before it makes it anew. At Deribit every request is a GET. */
function isPreparing({ venueId, operationClass, request }: SweptRequest): boolean {
  if (operationClass === 'read') return request.method === 'GET' && venueId !== 'deribit';
  return operationClass === 'cancel' && request.method === 'DELETE';
}

/** Those that are signed as less than their name says, and as nothing that every rule keeps out. */
export function tooLow(requests: readonly SweptRequest[]): SweptRequest[] {
  return requests.filter((swept) => {
    if (isPreparing(swept)) return false;
    const severity = SEVERITY[swept.operationClass];
    const name = swept.method.includes(' ') ? swept.request.path : swept.method;
    const expectations = swept.method.includes(' ') ? PATHS : METHODS;
    const least = expectations.find(([named]) => named.test(name))?.[1];
    return least !== undefined && severity !== undefined && severity < SEVERITY[least]!;
  });
}
