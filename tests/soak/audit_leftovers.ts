import type { RowCheck } from './facts.ts';

/** The rules on tags, snapshots, keys, stores and other objects that have no file of their own here. */
export const leftoverChecks: RowCheck[] = [
  {
    name: 'latest_wrong',
    find: (sql) =>
      sql`
      select coalesce(d.entrypoint, t.entrypoint) as flow_id, t.deployment_id as latest, d.id as newest
      from (
        select distinct on (all_of.entrypoint) all_of.entrypoint, all_of.id
        from public.flow_deployments as all_of order by all_of.entrypoint, all_of.id desc
      ) as d
      full join (select * from public.flow_deployments_tags as t where t.tag = 'latest') as t on t.entrypoint = d.entrypoint
      where t.deployment_id is distinct from d.id`,
  },
  {
    // Reads the tables from the catalogue, so that tables that are added later are checked, too.
    name: 'row_points_nowhere',
    async find(sql) {
      const keys = await sql`
        select c.conname as name, c.conrelid::regclass::text as child, c.confrelid::regclass::text as parent,
          (select array_agg(format('child.%I = parent.%I', a.attname, b.attname) order by k.position)
            from unnest(c.conkey, c.confkey) with ordinality as k (child, parent, position)
            join pg_attribute as a on a.attrelid = c.conrelid and a.attnum = k.child
            join pg_attribute as b on b.attrelid = c.confrelid and b.attnum = k.parent) as pairs,
          (select array_agg(format('child.%I is not null', a.attname))
            from unnest(c.conkey) as k (child) join pg_attribute as a on a.attrelid = c.conrelid and a.attnum = k.child) as present
        from pg_constraint as c
        where c.contype = 'f' and c.connamespace in ('public'::regnamespace, 'private'::regnamespace)`;
      const found = await Promise.all(keys.map(({ name, child, parent, pairs, present }) =>
        sql.unsafe(`
          select '${name}' as constraint, to_jsonb(child) as row from ${child} as child
          where ${present.join(' and ')} and not exists (select from ${parent} as parent where ${pairs.join(' and ')})
          limit 100`)
      ));
      return found.flat();
    },
  },
  {
    // The auditor has swept the database before this check.
    name: 'snapshot_unused',
    find: (sql) =>
      sql`
      select encode(s.hash, 'hex') as hash from private.flow_snapshots as s
      where not exists (select from public.flow_deployments as d where d.snapshot_hash = s.hash)
        and not exists (select from private.flow_run_jobs as j where j.snapshot_hash = s.hash)`,
  },
  {
    name: 'kv_usage_wrong',
    find: (sql) =>
      sql`
      select u.id as user_id, coalesce(k.store_count, 0) as counted_stores, s.stores, coalesce(k.item_bytes, 0) as counted_bytes, i.bytes
      from auth.users as u
      left join private.kv_usage as k on k.user_id = u.id
      cross join lateral (select count(*) as stores from public.kv_stores as s where s.user_id = u.id) as s
      cross join lateral (
        select coalesce(sum(octet_length(i.key) + octet_length(i.value::text)), 0) as bytes from public.kv_items as i where i.user_id = u.id
      ) as i
      where (coalesce(k.store_count, 0), coalesce(k.item_bytes, 0)) is distinct from (s.stores, i.bytes)`,
  },
  {
    name: 'secret_misplaced',
    find: (sql) =>
      sql`
      select 'api_keys' as what, k.id::text from public.api_keys as k
      where not exists (select from private.api_key_hashes as h where h.api_key_id = k.id)
      union all
      select 'flow_webhooks', w.id::text from public.flow_webhooks as w
      where not exists (select from private.flow_webhook_secrets as s where s.webhook_id = w.id)
      union all
      select 'wallets', w.id::text from public.wallets as w
      where (w.type = 'HARDCODED') <> exists (select from private.wallet_secrets as s where s.wallet_id = w.id)`,
  },
];
