const memberOf = (json: unknown, name: string): unknown =>
  typeof json === 'object' && json !== null && Object.hasOwn(json, name)
    ? (json as Record<string, unknown>)[name]
    : undefined;

const textOf = (json: unknown): string => typeof json === 'string' ? json : '';

/**
 * Returns the method and the address that an implementation of type `openapi` calls, with its variables and parameters
 * in braces. `server` is an address that a node names instead. Works with any JSON, because definitions of others are
 * shown before they are checked.
 */
export function requestLine(implementation: unknown, server?: unknown): string {
  const [method, path] = ['method', 'path'].map((name) => textOf(memberOf(implementation, name)));
  const url = textOf(server) || textOf(memberOf(memberOf(implementation, 'server'), 'url'));
  return `${method} ${url.endsWith('/') ? url.slice(0, -1) : url}${path}`;
}
