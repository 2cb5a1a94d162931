import { loadAuthPackage } from './auth_package.ts';
import type { Sql } from '../postgres/postgres.ts';

/** Makes the Auth server's tables. The connection has the role supabase_auth_admin, so this role owns the tables. */
export async function createAuthSchema(sql: Sql): Promise<void> {
  const { getAuthSchemaSql } = await loadAuthPackage();
  await sql.unsafe(getAuthSchemaSql().replace('CREATE SCHEMA IF NOT EXISTS auth;', ''));
}

async function printMail({ to, subject, text }: { to: string; subject: string; text?: string }): Promise<void> {
  console.log(`Mail to ${to}: ${subject}\n${text ?? ''}`);
}

/** The Auth API, which answers requests under `/auth/v1`. */
interface AuthServer {
  fetch: (request: Request) => Promise<Response>;
  close: () => Promise<void>;
}

export interface AuthOptions {
  /** Connects as supabase_auth_admin. */
  databaseUrl: string;
  jwtSecret: string;
  /** The address to which the links in mails lead. */
  siteUrl: string;
}

/**
 * Starts Supabase's Auth API on the stack's own database. Sign-ups need no confirmation; tokens are signed with the
 * stack's secret. Mails are printed and not sent.
 */
export async function startAuth(options: AuthOptions): Promise<AuthServer> {
  const { App, createPostgresConnection } = await loadAuthPackage();
  const connection = createPostgresConnection({
    url: options.databaseUrl,
    postgresOptions: { max: 4, onnotice: () => {} },
  });
  const app = new App({
    connection,
    auth: {
      enabled: true,
      jwt_secret: options.jwtSecret,
      jwt_expiry: 3600,
      enable_signup: true,
      site_url: options.siteUrl,
      email: { enable_signup: true, enable_confirmations: false },
    },
    options: { drivers: { email: { send: printMail } } },
  });
  await app.init();
  return {
    fetch: async (request) => await app.server.fetch(request),
    close: async () => await connection.close(),
  };
}
