import { rmSync } from 'node:fs';

export default async function globalTeardown(): Promise<void> {
  const { countersignStops = [] } = globalThis as { countersignStops?: (() => Promise<void>)[] };
  for (const stop of countersignStops) await stop();
  const home = process.env['COUNTERSIGN_TEST_HOME'];
  if (home !== undefined) rmSync(home, { recursive: true, force: true });
}
