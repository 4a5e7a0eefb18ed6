/** What nodes found that no honest node does: each writes under its own name alone, and nobody changes a row. */
import { appendOnly, SAFE_PATH } from './0001-roles.js';

/** An honest node folds what it says (MAX_REASONS of its kinds and parties); a login that does not is stopped here. */
const ROWS_A_MINUTE = 240;

/** Counted for each login, so that none fills the table, nor uses up what another one may write. */
const BOUND = `CREATE FUNCTION countersign_bound_alarms() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER
   ${SAFE_PATH} AS $$
   BEGIN
     NEW.login := session_user;
     NEW.written_at := clock_timestamp();
     IF (SELECT count(*) FROM (
       SELECT FROM public.alarm AS earlier
       WHERE earlier.login = NEW.login AND earlier.written_at > NEW.written_at - interval '1 minute'
       LIMIT ${ROWS_A_MINUTE}
     ) AS recent) >= ${ROWS_A_MINUTE}
     THEN
       RAISE EXCEPTION 'no more alarms of % are taken in this minute', NEW.login
         USING ERRCODE = 'program_limit_exceeded';
     END IF;
     RETURN NEW;
   END $$`;

export const ALARM_SCHEMA = [
  // MAX_ALARM_REASON and MAX_ALARM_EVIDENCE of the nodes
  `CREATE TABLE alarm (
     seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     accuser text NOT NULL CHECK (accuser IN ('gateway', 'party_1', 'party_2', 'party_3')),
     alarm_id uuid NOT NULL,
     kind text NOT NULL CHECK (kind ~ '^[a-z_]{1,40}$'),
     accused smallint CHECK (accused BETWEEN 1 AND 3),
     at timestamptz NOT NULL CHECK (at >= '1970-01-01T00:00:00Z' AND at < '10000-01-01T00:00:00Z'),
     request_id uuid,
     reason text NOT NULL CHECK (char_length(reason) <= 300),
     count int NOT NULL CHECK (count > 0),
     evidence bytea CHECK (octet_length(evidence) BETWEEN 1 AND 8192),
     evidence_bytes bigint NOT NULL CHECK (evidence_bytes BETWEEN 0 AND 9007199254740991),
     signature bytea CHECK (octet_length(signature) = 64),
     login name NOT NULL,
     written_at timestamptz NOT NULL,
     UNIQUE (accuser, alarm_id)
   )`,
  'CREATE INDEX alarm_kind ON alarm (kind, seq)',
  'CREATE INDEX alarm_accused ON alarm (accused, seq)',
  'CREATE INDEX alarm_accuser ON alarm (accuser, seq)',
  'CREATE INDEX alarm_rate ON alarm (login, written_at)',
  BOUND,
  'REVOKE ALL ON FUNCTION countersign_bound_alarms() FROM PUBLIC',
  `CREATE TRIGGER bound_alarms BEFORE INSERT ON alarm
   FOR EACH ROW EXECUTE FUNCTION countersign_bound_alarms()`,
  appendOnly('alarm'),
  'ALTER TABLE alarm ENABLE ROW LEVEL SECURITY',
  ...['gateway', 'party_1', 'party_2', 'party_3'].flatMap((accuser) => [
    `CREATE POLICY ${accuser}_accuses ON alarm FOR INSERT TO countersign_${accuser}
     WITH CHECK (accuser = '${accuser}')`,
    `GRANT INSERT (alarm_id, accuser, kind, accused, at, request_id, reason, count, evidence, evidence_bytes,
       signature) ON alarm TO countersign_${accuser}`,
  ]),
  ...['gateway', 'auditor', 'notifier'].flatMap((reader) => [
    `CREATE POLICY ${reader}_reads ON alarm FOR SELECT TO countersign_${reader} USING (true)`,
    `GRANT SELECT ON alarm TO countersign_${reader}`,
  ]),
];
