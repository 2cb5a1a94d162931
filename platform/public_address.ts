import { withoutTrailingSlashes } from './base_url.ts';

/** The address of an Edge Function for clients. */
export interface PublicAddress {
  /** The whole address, for places that need an absolute address. */
  url: string;
  /** The path, for links within the origin. Unlike the URL, it is valid for every host name of the project. */
  path: string;
}

/**
 * Reads the public address of a function from its variable (`ACTION_URL` for `action`). Without the variable, the
 * function is below the project's address. Throws for a variable that is not an http or https address.
 */
export function readPublicAddress(
  name: string,
  env: (name: string) => string | undefined,
  supabaseUrl: string,
): PublicAddress {
  const variable = `${name.toUpperCase()}_URL`;
  const given = env(variable);
  const text = given === undefined || given === '' ? `${supabaseUrl}/functions/v1/${name}` : given;
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  if (parsed === undefined || !/^https?:$/.test(parsed.protocol) || parsed.search !== '' || parsed.hash !== '') {
    throw new Error(`Wrong in the environment: ${variable} must be the http or https address of the function ${name}`);
  }
  const path = withoutTrailingSlashes(parsed.pathname);
  return { url: parsed.origin + path, path };
}
