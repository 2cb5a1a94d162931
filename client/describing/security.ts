import {
  type DescribedJson,
  memberOf,
  objectOf,
  OperationRefused,
  printable,
  type References,
  textOf,
} from './documents.ts';

const shown = (json: unknown): string => printable(textOf(json) ?? '', 100);

/** Returns the kind of connection for a security scheme; undefined if no kind can send its secret. */
function kindOf(scheme: DescribedJson): string | undefined {
  switch (scheme.type) {
    case 'basic':
      return 'basic';
    case 'apiKey':
      if (scheme.in === 'header') return `header with the header ${shown(scheme.name)}`;
      return scheme.in === 'query' ? `query with the parameter ${shown(scheme.name)}` : undefined;
    case 'http': {
      const name = shown(scheme.scheme).toLowerCase();
      return name === 'bearer' || name === 'basic' ? name : undefined;
    }
    case 'oauth2': {
      const flows = objectOf(scheme.flows);
      const isClient = memberOf(flows, 'clientCredentials') !== undefined || scheme.flow === 'application';
      return isClient ? 'oauth2_client_credentials' : 'oauth2_refresh_token or bearer';
    }
    case 'openIdConnect':
      return 'oauth2_refresh_token or bearer';
    default:
      return undefined;
  }
}

/**
 * Suggests the kind of the connection by the first security scheme of an operation. Returns undefined for an operation
 * without one.
 */
export function connectionHint(
  references: References,
  document: DescribedJson,
  operation: DescribedJson,
): string | undefined {
  const schemes = objectOf(document.securityDefinitions ?? memberOf(document.components, 'securitySchemes'));
  for (const alternative of references.list(operation.security ?? document.security)) {
    for (const [name] of references.members(alternative)) {
      try {
        const kind = kindOf(references.resolve(memberOf(schemes, name)));
        if (kind !== undefined) return `A connection of the kind ${kind}`;
      } catch (error) {
        // A scheme that leads nowhere suggests nothing.
        if (!(error instanceof OperationRefused)) throw error;
      }
    }
  }
  return undefined;
}
