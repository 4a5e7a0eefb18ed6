/** What the notifier has sent and has still to send. What an event says is not here: it follows from ledger and alarms. */

const ROLE = 'countersign_notifier';

export const WEBHOOK_SCHEMA = [
  `CREATE TABLE webhook_delivery (
     seq bigint GENERATED ALWAYS AS IDENTITY UNIQUE,
     webhook_id uuid NOT NULL,
     event_id uuid NOT NULL,
     event_type text NOT NULL CHECK (event_type ~ '^[a-z_.]{1,40}$'),
     source text NOT NULL CHECK (source IN ('ledger', 'alarm')),
     source_seq bigint NOT NULL,
     status text NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
     attempts int NOT NULL DEFAULT 0,
     created_at timestamptz NOT NULL DEFAULT now(),
     next_attempt_at timestamptz NOT NULL DEFAULT now(),
     lease_until timestamptz,
     response_status int,
     error text CHECK (char_length(error) <= 200),
     PRIMARY KEY (webhook_id, event_id)
   )`,
  'CREATE INDEX webhook_delivery_order ON webhook_delivery (webhook_id, seq)',
  `CREATE INDEX webhook_delivery_pending ON webhook_delivery (webhook_id, next_attempt_at)
   WHERE status = 'pending'`,
  `CREATE TABLE webhook_cursor (source text PRIMARY KEY, position bigint NOT NULL)`,
  // a gateway asks for what it may not do by itself: it could otherwise say that something was delivered
  `CREATE TABLE webhook_resend (
     id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
     webhook_id uuid NOT NULL,
     from_seq bigint NOT NULL,
     to_seq bigint NOT NULL
   )`,
  `GRANT SELECT ON ledger_entry TO ${ROLE}`,
  // it takes away what is settled and old
  `GRANT SELECT, INSERT, DELETE ON webhook_delivery TO ${ROLE}`,
  `GRANT UPDATE (status, attempts, next_attempt_at, lease_until, response_status, error)
   ON webhook_delivery TO ${ROLE}`,
  `GRANT SELECT, INSERT, UPDATE ON webhook_cursor TO ${ROLE}`,
  `GRANT SELECT, DELETE ON webhook_resend TO ${ROLE}`,
  'GRANT SELECT ON webhook_delivery TO countersign_gateway, countersign_auditor',
  'GRANT INSERT (webhook_id, from_seq, to_seq) ON webhook_resend TO countersign_gateway',
];
