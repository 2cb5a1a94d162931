/** The accepted values of libpq's `sslmode`. Only verify-full checks the server's name. */
const SSL_MODES = ['disable', 'prefer', 'require', 'verify-full'] as const;

/** The port of Supabase's poolers in transaction mode. Source: Supabase documentation, "Connect to your database". */
const TRANSACTION_MODE_PORT = 6543;

/** The values of libpq's `target_session_attrs`. With read-write, a connection is made only to a server that writes. */
const TARGETS = ['any', 'read-write'] as const;

/** A Postgres server or a connection pooler. */
export interface PostgresServer {
  host: string;
  port: number;
}

/** The address of a database, and the login. */
export interface PostgresAddress {
  /** The servers, which are tried in this order. There are several if a standby may take over. */
  servers: readonly PostgresServer[];
  target: (typeof TARGETS)[number];
  database: string;
  user: string;
  password: string;
  sslMode: (typeof SSL_MODES)[number];
  /**
   * False for a pooler in transaction mode. Such a pooler uses another connection for each transaction, so sessions
   * keep no state.
   */
  hasSessions: boolean;
}

const isOneOf = <Word extends string>(words: readonly Word[], word: string): word is Word =>
  (words as readonly string[]).includes(word);

const isLoopback = (host: string): boolean => host === 'localhost' || host === '::1' || host.startsWith('127.');

/**
 * Reads SUPABASE_DB_URL: `postgresql://user:password@host:port/database`. `?pgbouncer=true` or port 6543 marks a pooler
 * in transaction mode. The address may have several hosts, `host1:port,host2:port`. Errors do not quote the address,
 * because it holds a password.
 */
export function readPostgresAddress(url: string): PostgresAddress {
  const wrong = (why: string) => new Error(`Wrong in the environment: SUPABASE_DB_URL: ${why}`);
  // `URL` accepts a single host, so each host is read from an address of its own.
  const [scheme = ''] = /^postgres(?:ql)?:\/\//.exec(url) ?? [];
  const [authority = ''] = /^[^/?]*/.exec(url.slice(scheme.length)) ?? [];
  const login = authority.slice(0, authority.lastIndexOf('@') + 1);
  const rest = url.slice(scheme.length + authority.length);
  const urls = authority.slice(login.length).split(',').map((host) => `postgresql://${login}${host}${rest}`);
  if (scheme === '' || !urls.every((one) => URL.canParse(one))) {
    throw wrong('must be postgresql://user:password@host:port/database, with special characters percent-encoded');
  }
  const servers = urls.map((one) => new URL(one)).map(({ hostname, port }) => ({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? 5432 : Number(port),
  }));
  const { pathname, username, password, searchParams } = new URL(urls[0]!);
  const decode = (text: string): string => {
    try {
      return decodeURIComponent(text);
    } catch {
      throw wrong('holds a % that begins no percent-encoded character: write %25');
    }
  };
  if (servers.some(({ host }) => host === '') || username === '') throw wrong('must name a host and a user');
  const areLocal = servers.every(({ host }) => isLoopback(host));
  const sslMode = searchParams.get('sslmode') ?? (areLocal ? 'disable' : 'prefer');
  if (!isOneOf(SSL_MODES, sslMode)) throw wrong(`sslmode must be one of ${SSL_MODES.join(', ')}`);
  const pooled = searchParams.get('pgbouncer') ?? String(servers.some(({ port }) => port === TRANSACTION_MODE_PORT));
  if (!isOneOf(['true', 'false'], pooled)) throw wrong('pgbouncer must be true or false');
  const target = searchParams.get('target_session_attrs') ?? 'any';
  if (!isOneOf(TARGETS, target)) throw wrong(`target_session_attrs must be one of ${TARGETS.join(', ')}`);
  return {
    servers,
    target,
    database: decode(pathname.slice(1)) || 'postgres',
    user: decode(username),
    password: decode(password),
    sslMode,
    hasSessions: pooled === 'false',
  };
}
