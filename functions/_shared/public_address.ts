import { withoutTrailingSlashes } from './base_url.ts';

/** Where clients find an Edge Function. */
export interface PublicAddress {
  /** The whole address, for what has to be absolute. */
  url: string;
  /** Its path, for links to the same origin, whichever name a client knows it by. */
  path: string;
}

/**
 * Where clients find the function of this name: what its variable says (`ACTION_URL` for `action`), else its place in
 * the project. Throws for a variable that is not an http or https address.
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
