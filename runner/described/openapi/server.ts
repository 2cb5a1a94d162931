import type { OpenApiImplementation } from '../../../types/described/openapi.ts';
import type { LosslessJson } from '../../../types/values/value.ts';
import { formMember, formText, NodeError } from '../../engine/node.ts';

/**
 * Returns the address of the server without a slash at its end. The address and its variables come only from the form
 * data and the definition, never from inputs. So whoever starts the flow can't choose the server.
 */
export function serverOf({ server }: OpenApiImplementation, formData: LosslessJson): string {
  const template = formText(formData, 'server') || server?.url;
  if (template === undefined) {
    throw new NodeError('the description names no server, so the form data must have one as server');
  }
  const variables = formMember(formData, 'server_variables') ?? {};
  const address = template.replace(/\{([^{}]+)\}/g, (_, name: string) => {
    const text = formText(variables, name) ||
      (Object.hasOwn(server?.variables ?? {}, name) ? server?.variables?.[name] : undefined);
    if (text === undefined) throw new NodeError(`server_variables must have a text ${JSON.stringify(name)}`);
    return text;
  });
  if (!URL.canParse(address) || !/^https?:\/\//i.test(address)) {
    throw new NodeError('server must be an absolute http or https address');
  }
  const url = new URL(address);
  if (url.search !== '' || url.hash !== '') throw new NodeError('server must have no query and no fragment');
  return url.href.endsWith('/') ? url.href.slice(0, -1) : url.href;
}
