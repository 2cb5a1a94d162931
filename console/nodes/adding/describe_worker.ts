import { type Described, describeIdl, describeOpenApi, describeTools } from 'flow-deployments-client/describing';
import type { SourceDescription, SourceKindName } from './kinds.ts';

const DESCRIBE: { readonly [kind in SourceKindName]: (description: never) => Described | Promise<Described> } = {
  openapi: describeOpenApi,
  mcp: describeTools,
  idl: describeIdl,
};

async function describe({ kind, description }: SourceDescription): Promise<Described> {
  // SAFETY: the page sends what the source of this kind has read.
  return await DESCRIBE[kind](description as never);
}

// A promise that rejects is no `error` of a worker by itself.
addEventListener('message', ({ data }: MessageEvent<SourceDescription>) => {
  void describe(data).then(postMessage, reportError);
});
