/** The database as text: tables, constraints, indexes, triggers, functions and grants, in fixed order. */
import pg from 'pg';

const OURS = `n.nspname IN ('public', 'party_1', 'party_2', 'party_3')`;

const PARTS: readonly (readonly [title: string, query: string])[] = [
  [
    'columns',
    `SELECT n.nspname || '.' || c.relname || '.' || a.attname || ' '
       || format_type(a.atttypid, a.atttypmod) || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END
       || coalesce(' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid), '') AS line
     FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
       JOIN pg_namespace n ON n.oid = c.relnamespace
       LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
     WHERE ${OURS} AND c.relkind = 'r' AND a.attnum > 0 AND NOT a.attisdropped
     ORDER BY n.nspname, c.relname, a.attnum`,
  ],
  [
    'views',
    `SELECT n.nspname || '.' || c.relname || ': ' || pg_get_viewdef(c.oid) AS line
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE ${OURS} AND c.relkind = 'v' ORDER BY line`,
  ],
  [
    'constraints',
    `SELECT n.nspname || '.' || c.relname || ': ' || pg_get_constraintdef(k.oid) AS line
     FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
       JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE ${OURS} AND k.contype <> 'n' ORDER BY line`,
  ],
  [
    'indexes',
    `SELECT pg_get_indexdef(i.indexrelid) AS line
     FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
       JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE ${OURS} ORDER BY line`,
  ],
  [
    'storage parameters',
    `SELECT n.nspname || '.' || c.relname || ': ' || array_to_string(c.reloptions, ', ') AS line
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE ${OURS} AND c.reloptions IS NOT NULL ORDER BY line`,
  ],
  [
    'triggers',
    `SELECT pg_get_triggerdef(t.oid) AS line
     FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
       JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE ${OURS} AND NOT t.tgisinternal ORDER BY line`,
  ],
  [
    'row policies',
    `SELECT n.nspname || '.' || c.relname
       || CASE WHEN c.relrowsecurity THEN '' ELSE ' (not in force)' END || ': ' || p.polname || ' '
       || CASE p.polcmd WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' ELSE p.polcmd::text END || ' TO '
       || (SELECT string_agg(CASE one WHEN 0 THEN 'PUBLIC' ELSE one::regrole::text END, ', ' ORDER BY one)
           FROM unnest(p.polroles) AS one)
       || coalesce(' USING ' || pg_get_expr(p.polqual, p.polrelid), '')
       || coalesce(' CHECK ' || pg_get_expr(p.polwithcheck, p.polrelid), '') AS line
     FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid
       JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE ${OURS} ORDER BY line`,
  ],
  [
    'functions',
    `SELECT pg_get_functiondef(p.oid) AS line
     FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
     WHERE ${OURS} ORDER BY line`,
  ],
  [
    'grants on functions',
    `SELECT p.proname || ': '
       || CASE g.grantee WHEN 0 THEN 'PUBLIC' ELSE g.grantee::regrole::text END AS line
     FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace,
       aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) g
     WHERE ${OURS} AND g.grantee <> p.proowner ORDER BY line`,
  ],
  [
    'functions for locks and large objects that PUBLIC may not call',
    `SELECT p.oid::regprocedure::text AS line FROM pg_proc p
     WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.proname ~ '(advisory_|^lo_)'
       AND NOT has_function_privilege('public', p.oid, 'EXECUTE') ORDER BY line`,
  ],
  [
    'rights of PUBLIC in the database',
    `SELECT g.privilege_type AS line
     FROM pg_database d, aclexplode(coalesce(d.datacl, acldefault('d', d.datdba))) g
     WHERE d.datname = current_database() AND g.grantee = 0 ORDER BY line`,
  ],
  [
    'grants on schemas',
    `SELECT n.nspname || ': ' || g.grantee::regrole || ' ' || g.privilege_type AS line
     FROM pg_namespace n, aclexplode(n.nspacl) g
     WHERE ${OURS} AND g.grantee <> 0 AND g.grantee::regrole::text LIKE 'countersign%' ORDER BY line`,
  ],
  [
    'grants on tables and columns',
    `SELECT n.nspname || '.' || c.relname || ': ' || g.grantee::regrole || ' ' || g.privilege_type AS line
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace, aclexplode(c.relacl) g
     WHERE ${OURS} AND g.grantee::regrole::text LIKE 'countersign%'
     UNION ALL
     SELECT n.nspname || '.' || c.relname || '.' || a.attname || ': ' || g.grantee::regrole || ' '
       || g.privilege_type
     FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
       JOIN pg_namespace n ON n.oid = c.relnamespace, aclexplode(a.attacl) g
     WHERE ${OURS} AND g.grantee::regrole::text LIKE 'countersign%'
     ORDER BY line`,
  ],
];

export async function describeSchema(databaseUrl: string): Promise<string> {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const parts: string[] = [];
    for (const [title, query] of PARTS) {
      const { rows } = await client.query<{ line: string }>(query);
      parts.push(`-- ${title}\n${rows.map((row) => row.line.trimEnd()).join('\n')}\n`);
    }
    return parts.join('\n');
  } finally {
    await client.end();
  }
}
