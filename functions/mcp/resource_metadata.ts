import type { PublicAddress } from '../../platform/public_address.ts';

/** The path of the metadata in the function. */
export const METADATA_PATH = '/.well-known/oauth-protected-resource';

/**
 * Describes the function to clients that have no token: Supabase Auth of the project gives tokens. The resource is the
 * function, so a token for it serves all its addresses. Source: RFC 9728, section 2.
 */
export const resourceMetadata = ({ url }: PublicAddress) => ({
  resource: url,
  authorization_servers: [`${new URL(url).origin}/auth/v1`],
  bearer_methods_supported: ['header'],
});

/** The header of an answer 401. Source: RFC 9728, section 5.1. */
export const challenge = ({ url }: PublicAddress): Record<string, string> => ({
  'www-authenticate': `Bearer resource_metadata="${url}${METADATA_PATH}"`,
});
