/** The accepted values of libpq's `sslmode`. Only verify-full checks the server's name. */
const SSL_MODES = ['disable', 'prefer', 'require', 'verify-full'] as const;

/** The port of Supabase's poolers in transaction mode. Source: Supabase documentation, "Connect to your database". */
const TRANSACTION_MODE_PORT = 6543;

/** The address of a Postgres server or a connection pooler, and the login. */
export interface PostgresAddress {
  host: string;
  port: number;
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
 * in transaction mode. Errors do not quote the address, because it holds a password.
 */
export function readPostgresAddress(url: string): PostgresAddress {
  const wrong = (why: string) => new Error(`Wrong in the environment: SUPABASE_DB_URL: ${why}`);
  if (!/^postgres(?:ql)?:\/\//.test(url) || !URL.canParse(url)) {
    throw wrong('must be postgresql://user:password@host:port/database, with special characters percent-encoded');
  }
  const { hostname, port: portText, pathname, username, password, searchParams } = new URL(url);
  const decode = (text: string): string => {
    try {
      return decodeURIComponent(text);
    } catch {
      throw wrong('holds a % that begins no percent-encoded character: write %25');
    }
  };
  if (hostname === '' || username === '') throw wrong('must name a host and a user');
  const host = hostname.replace(/^\[|\]$/g, '');
  const port = portText === '' ? 5432 : Number(portText);
  const sslMode = searchParams.get('sslmode') ?? (isLoopback(host) ? 'disable' : 'prefer');
  if (!isOneOf(SSL_MODES, sslMode)) throw wrong(`sslmode must be one of ${SSL_MODES.join(', ')}`);
  const pooled = searchParams.get('pgbouncer') ?? String(port === TRANSACTION_MODE_PORT);
  if (!isOneOf(['true', 'false'], pooled)) throw wrong('pgbouncer must be true or false');
  return {
    host,
    port,
    database: decode(pathname.slice(1)) || 'postgres',
    user: decode(username),
    password: decode(password),
    sslMode,
    hasSessions: pooled === 'false',
  };
}
