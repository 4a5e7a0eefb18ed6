/**
 * The model of the ledger for as long as somebody has: MODEL_RUNS runs from MODEL_SEED on, and every order of
 * MODEL_ORDERED_STEPS steps (of nine).
 */
const BOUNDS = { MODEL_RUNS: '10000', MODEL_ORDERED_STEPS: '8' };

for (const [name, value] of Object.entries(BOUNDS)) process.env[name] ??= value;

await import('../../test/model/countersigned-model.test.js');
await import('../../test/model/every-order.test.js');
