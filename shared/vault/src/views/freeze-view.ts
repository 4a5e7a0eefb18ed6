import type { z } from 'zod';
import { timeView } from '@countersign/api/common-schema.js';
import type { freezeInForce } from '@countersign/api/freeze-schema.js';
import type { FreezeInForce } from '../state/freezes.js';

export function freezeInForceView(freeze: FreezeInForce): z.input<typeof freezeInForce> {
  const { scope, id, at, by, reason } = freeze;
  return { scope, id, at: timeView(at), by, reason };
}

/** The effective state of what these freezes stop; `otherwise`: what it is without them. */
export function effectiveState<Status extends string>(
  freezes: readonly FreezeInForce[],
  otherwise: Status,
): { status: Status | 'frozen'; frozen_by: z.input<typeof freezeInForce>[] } {
  return {
    status: freezes.length > 0 ? 'frozen' : otherwise,
    frozen_by: freezes.map(freezeInForceView),
  };
}
