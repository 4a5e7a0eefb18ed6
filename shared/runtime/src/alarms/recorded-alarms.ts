/**
 * Alarms as rows. An alarm is logged at once, then written to the database, signed by the party that raises it. One
 * that says the same within a minute is only counted, so whoever causes a thousand a second fills no log. If the
 * process has a file, unwritten alarms lie there, so that a restart does not forget them.
 */
import {
  ALARM_KINDS,
  type Accuser,
  type AlarmKind,
  type AlarmStatement,
} from '@countersign/core/alarm-statement.js';
import type { Bytes } from '@countersign/core/bytes.js';
import type { Logger } from '../process/logger.js';
import { createWaitingLines } from '../process/waiting-lines.js';
import { AlarmFold } from './alarm-fold.js';
import type { AlarmStore } from './alarm-store.js';
import { createLoggedAlarms, type Alarm, type Alarms } from './alarms.js';
import type { UnwrittenAlarms } from './unwritten-alarms.js';
import { openTicks } from '../process/ticks.js';

const LOOK_EVERY_MS = 5_000;
const ROWS_AT_ONCE = 16;

export interface AlarmWriter {
  readonly store: AlarmStore;
  /** The accuser's signature over the message of each; absent for one without an identity. */
  sign?(statements: readonly AlarmStatement[]): Promise<readonly Bytes[]>;
}

export interface RecordedAlarms extends Alarms {
  readonly accuser: Accuser;
  /** How often this process has raised each kind since it started. */
  readonly counts: Readonly<Record<AlarmKind, number>>;
  /** Alarms are written from now on: before, the process does not know which vault it belongs to. */
  writeBy(writer: AlarmWriter): void;
  /** Resolves once all raised alarms are written, or lie in the file, or neither is possible. */
  settle(): Promise<void>;
  /** As `settle`, and tells the alarms that were only counted so far. */
  stop(): Promise<void>;
}

export interface RecordedAlarmsOptions {
  readonly accuser: Accuser;
  readonly logger: Logger;
  readonly now: () => number;
  /** A monotonic clock, ms. */
  readonly elapsed: () => number;
  /** Undefined for a process that keeps nothing across a restart. */
  readonly file: UnwrittenAlarms | undefined;
}

/** Begins with the alarms that the last process could not write. */
export async function openRecordedAlarms(options: RecordedAlarmsOptions): Promise<RecordedAlarms> {
  const { accuser, logger, now, elapsed, file } = options;
  const log = createLoggedAlarms(logger);
  const fold = new AlarmFold(accuser);
  const counts = Object.fromEntries(ALARM_KINDS.map((kind) => [kind, 0])) as Record<
    AlarmKind,
    number
  >;
  let writer: AlarmWriter | undefined;

  function complain(error: unknown): void {
    logger.warn({ event: 'alarms_not_written', reason: String(error) }, 'alarms wait');
  }

  const lines = createWaitingLines();
  const look = () =>
    lines.inLine('alarms', () => write({ ...options, fold, complain }, writer)).catch(complain);
  const ticks = openTicks(LOOK_EVERY_MS, () => void look());

  try {
    fold.giveBack((await file?.read()) ?? []);
  } catch (error) {
    complain(error);
  }
  return {
    accuser,
    counts,
    raise(alarm: Alarm) {
      try {
        counts[alarm.kind] += 1;
        if (!fold.add(alarm, elapsed(), now())) return;
        log.raise(alarm);
        void look();
      } catch (error) {
        complain(error);
      }
    },
    writeBy(given) {
      writer = given;
      void look();
    },
    settle: look,
    async stop() {
      ticks.stop();
      fold.close();
      await look();
    },
  };
}

interface Writing extends RecordedAlarmsOptions {
  readonly fold: AlarmFold;
  complain(error: unknown): void;
}

/** Writes to the file first, so that a process that dies while it waits for the database has not forgotten. */
async function write(
  { fold, file, elapsed, complain }: Writing,
  writer: AlarmWriter | undefined,
): Promise<void> {
  const waiting = fold.take(elapsed());
  if (waiting.length === 0) return;
  await file?.keep(waiting).catch(complain);
  try {
    while (writer !== undefined && waiting.length > 0) {
      await insert(writer, waiting.slice(0, ROWS_AT_ONCE));
      waiting.splice(0, ROWS_AT_ONCE);
    }
  } catch (error) {
    complain(error);
  }
  fold.giveBack(waiting);
  await file?.keep(waiting).catch(complain);
}

/** Returns what `work` does. If it fails, the alarms that it raised are told first: its process ends with it. */
export async function tellBeforeFailing<Result>(
  alarms: Pick<RecordedAlarms, 'settle'>,
  work: Promise<Result>,
): Promise<Result> {
  try {
    return await work;
  } catch (error) {
    await alarms.settle();
    throw error;
  }
}

async function insert(
  { store, sign }: AlarmWriter,
  statements: readonly AlarmStatement[],
): Promise<void> {
  const signatures = await sign?.(statements);
  await store.insert(
    statements.map((statement, index) => ({ statement, signature: signatures?.[index] ?? null })),
  );
}
