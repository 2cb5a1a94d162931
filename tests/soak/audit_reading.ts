import type { StackStatus } from '../../platform/local_stack/running_stacks.ts';
import type { Sql } from '../../dev/stack/postgres/postgres.ts';
import type { Findings } from './findings.ts';

/** A reader who tries to read everything. */
export interface Reader {
  label: string;
  headers: Record<string, string>;
  userId: string | null;
  /** The run whose token the reader shows. */
  runId: string | null;
}

interface Readable {
  /** The columns that identify a row. */
  key: string;
  /**
   * The SQL condition on rows `t` that the reader may see. $1 is the reader's user, $2 the run of the reader's token.
   */
  rule: string;
}

const OWN = 't.user_id = $1';

/** For each table, the rule on its readers. The rules come from the documentation and not from the policies. */
const readable: Record<string, Readable> = {
  api_keys: { key: 'id', rule: OWN },
  flow_deployments: { key: 'id', rule: OWN },
  flow_deployments_tags: { key: 'entrypoint,tag', rule: OWN },
  flow_run: { key: 'id', rule: `${OWN} or t.parent_flow_run_id is null and (t.started_by = $1 or t.id = $2)` },
  flow_run_logs: { key: 'flow_run_id,log_index', rule: OWN },
  flow_row_starts: { key: 'id', rule: OWN },
  flow_schedules: { key: 'id', rule: OWN },
  flow_webhooks: { key: 'id', rule: OWN },
  flow_versions: { key: 'id', rule: OWN },
  flow_pins: { key: 'flow_id,node_id', rule: OWN },
  flows: { key: 'id', rule: OWN },
  kv_items: { key: 'user_id,store,key', rule: OWN },
  kv_stores: { key: 'user_id,name', rule: OWN },
  node_run: { key: 'flow_run_id,node_id,times', rule: OWN },
  nodes: { key: 'id', rule: `${OWN} or t.is_public` },
  pending_inputs: {
    key: 'id',
    rule: `t.expires_at > now() and (t.owner_id = $1 or t.started_by = $1 or t.root_flow_run_id = $2)`,
  },
  signature_requests: { key: 'id', rule: `t.owner_id = $1 or t.user_id = $1 or t.root_flow_run_id = $2` },
  public_flows: { key: 'id', rule: '$1 is not null' },
  wallets: { key: 'id', rule: OWN },
  connections: { key: 'id', rule: OWN },
  webhook_deliveries: { key: 'id', rule: OWN },
};

/** The most rows of an answer of PostgREST. */
const PAGE = 1_000;

/** Returns the keys of all rows of a table that a reader gets; none if the reader may not read the table. */
async function readAll(status: StackStatus, reader: Reader, table: string, key: string): Promise<string[]> {
  const keys: string[] = [];
  for (;;) {
    const query = `select=${key}&order=${key}&limit=${PAGE}&offset=${keys.length}`;
    const response = await fetch(`${status.API_URL}/rest/v1/${table}?${query}`, {
      headers: { apikey: status.PUBLISHABLE_KEY, ...reader.headers },
    });
    if (response.status === 401 || response.status === 403) return keys;
    if (!response.ok) throw new Error(`${reader.label} reads ${table}: ${response.status} ${await response.text()}`);
    // SAFETY: the request selects these columns.
    const rows = await response.json() as Record<string, unknown>[];
    keys.push(...rows.map((row) => key.split(',').map((column) => String(row[column])).join(' ')));
    if (rows.length < PAGE) return keys;
  }
}

/** Reads every table as every reader. Compares the rows with those that the superuser finds by the rules. */
export async function auditReading(
  sql: Sql,
  status: StackStatus,
  readers: readonly Reader[],
  findings: Findings,
): Promise<void> {
  const tables = await sql<{ name: string }[]>`
    select c.relname as name from pg_class as c where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v', 'm', 'f')`;
  for (const { name } of tables) {
    const known = readable[name];
    if (known === undefined) {
      findings.add('table_without_rule', { table: name });
      continue;
    }
    const { key, rule } = known;
    const columns = key.split(',').map((column) => `t.${column}::text`).join(', ');
    for (const reader of readers) {
      const given = await readAll(status, reader, name, key);
      const condition = rule.replaceAll('$1', '$1::uuid').replaceAll('$2', '$2::uuid');
      const rows = await sql.unsafe(
        `select concat_ws(' ', ${columns}) as key from public.${name} as t where ${condition}`,
        rule.includes('$2') ? [reader.userId, reader.runId] : [reader.userId],
      );
      const allowed = new Set(rows.map((row) => row.key as string));
      const seen = new Set(given);
      const where = { reader: reader.label, table: name };
      for (const row of given) if (!allowed.has(row)) findings.add('row_readable', { ...where, row });
      for (const row of allowed) if (!seen.has(row)) findings.add('row_hidden', { ...where, row });
    }
  }
}
