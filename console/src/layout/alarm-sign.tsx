/** Beside “Operations” on every page: that there is an alarm of the last day. Nothing for who may not look at the system. */
import { Badge, Unseen } from '../design/pieces.js';
import { useVaultTime } from '../session/vault-time.js';
import { NEWEST_ALARMS, useRows } from '../vault/vault-queries.js';

const LOOK_MS = 60_000;
const DAY_MS = 86_400_000;

export function AlarmSign() {
  const now = useVaultTime();
  const { rows } = useRows('list-alarms', NEWEST_ALARMS, {
    everyMs: LOOK_MS,
    stopsWhereRefused: true,
  });
  if (!rows.some(({ at }) => now - Date.parse(at) <= DAY_MS)) return null;
  return (
    <>
      {' '}
      <Badge mood="bad">
        alarm<Unseen> in the last 24 hours</Unseen>
      </Badge>
    </>
  );
}
