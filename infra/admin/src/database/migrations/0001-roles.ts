/** Who there is, and what nobody may do. */

export const PARTIES = [1, 2, 3] as const;
export const EVERY_PARTY = PARTIES.map((party) => `countersign_party_${party}`).join(', ');
/** For functions: nobody's temporary tables or schemas come before what the owner made. */
export const SAFE_PATH = 'SET search_path = pg_catalog, public, pg_temp';

export const ROLES = [
  // without these two rights nobody could end a hold, and an open transaction would stop governance
  `DO $$ BEGIN
     IF NOT (pg_has_role('pg_signal_backend', 'USAGE') AND pg_has_role('pg_read_all_stats', 'USAGE')) THEN
       RAISE EXCEPTION 'the owner needs: GRANT pg_signal_backend, pg_read_all_stats TO %', current_user;
     END IF;
   END $$`,
  // roles belong to the cluster, not to one database: they may exist. Logins are the operator's
  ...['gateway', 'party_1', 'party_2', 'party_3', 'auditor', 'notifier'].map(
    (name) => `DO $$ BEGIN
      CREATE ROLE countersign_${name} NOLOGIN;
    EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$`,
  ),
  'REVOKE ALL ON SCHEMA public FROM PUBLIC',
  `GRANT USAGE ON SCHEMA public
   TO countersign_gateway, countersign_auditor, countersign_notifier, ${EVERY_PARTY}`,
  // each process checks at its start that the schema is its release's
  `GRANT SELECT ON countersign_migration TO countersign_gateway, countersign_notifier, ${EVERY_PARTY}`,
  // The table of locks is shared by all sessions: one role that fills it stops every write. What could do
  // so without any grant is taken away: advisory locks, temporary tables, large objects. Where the owner is
  // no superuser the server warns and keeps what is not the owner's to take (docs/how-to/install.md).
  `DO $$
   DECLARE name regprocedure;
   BEGIN
     FOR name IN SELECT oid FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace
       AND (proname ~ '^pg_(try_)?advisory_' OR proname IN ('lo_create', 'lo_creat', 'lo_from_bytea'))
     LOOP
       EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', name);
     END LOOP;
     EXECUTE format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', current_database());
   END $$`,
  `CREATE FUNCTION countersign_refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
   END $$`,
];

export function appendOnly(table: string): string {
  return `CREATE TRIGGER refuse_change BEFORE UPDATE OR DELETE OR TRUNCATE ON ${table}
          FOR EACH STATEMENT EXECUTE FUNCTION countersign_refuse_change()`;
}
