import { quoteText } from './literals.ts';

/**
 * The settings that PostgREST takes from its own role and from the calling role. Only those that affect a call are
 * listed.
 */
const ROLE_SETTINGS = ['statement_timeout', 'lock_timeout', 'jit'];

/** PostgREST's search path: the exposed schema, then db-extra-search-path. */
const SEARCH_PATH = 'public, extensions';

const CLAIMS = JSON.stringify({ role: 'service_role' });

/**
 * Makes the statements by which a session, or one transaction, acts as service role. They set the same time limits,
 * role and claims that PostgREST sets for the secret key. If the login is not a member of service_role, it keeps its
 * own role and its own grants.
 */
export function actAsServiceRole(lasts: 'session' | 'transaction'): string[] {
  const isLocal = lasts === 'transaction';
  return [
    `select set_config(split_part(o.setting, '=', 1), split_part(o.setting, '=', 2), ${isLocal})
    from unnest(array['authenticator', 'service_role']) with ordinality as r (name, position)
    join pg_catalog.pg_db_role_setting as s on s.setrole = to_regrole(r.name)
      and s.setdatabase in (0, (select d.oid from pg_catalog.pg_database as d where d.datname = current_database()))
    cross join unnest(s.setconfig) as o (setting)
    where split_part(o.setting, '=', 1) in (${ROLE_SETTINGS.map(quoteText).join(', ')})
    order by r.position, s.setdatabase`,
    `select set_config('search_path', ${quoteText(SEARCH_PATH)}, ${isLocal}),
      set_config('request.jwt.claims', ${quoteText(CLAIMS)}, ${isLocal})`,
    `select set_config('role', 'service_role', ${isLocal}) where pg_has_role('service_role', 'member')`,
  ];
}

/** Makes the statements that PostgREST runs for a request's headers, after it has set the role. */
export const showHeaders = (headers: Record<string, string>): string[] => [
  `select set_config('request.headers', ${quoteText(JSON.stringify(headers))}, true)`,
  'select private.pre_request()',
];
