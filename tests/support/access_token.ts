import { sign } from 'hono/jwt';

const HOUR_S = 3600;

/**
 * Signs an access token as Supabase Auth does, issued an hour ago. It expires `expiresIn` seconds from now, an hour by
 * default.
 */
export function signAccessToken(
  userId: string,
  options: { secret: string; isAnonymous?: boolean; expiresIn?: number },
): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    sub: userId,
    role: 'authenticated',
    aud: 'authenticated',
    is_anonymous: options.isAnonymous ?? false,
  };
  return sign(
    { ...claims, iat: now - HOUR_S, exp: now + (options.expiresIn ?? HOUR_S) },
    options.secret,
    'HS256',
  );
}
