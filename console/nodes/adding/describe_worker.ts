import { type Described, describeIdl, describeOpenApi, describeTools } from 'flow-deployments-client/describing';
import type { SourceDescription, SourceKindName } from './kinds.ts';

const DESCRIBE: { readonly [kind in SourceKindName]: (description: never) => Described | Promise<Described> } = {
  openapi: describeOpenApi,
  mcp: describeTools,
  idl: describeIdl,
};

addEventListener('message', async ({ data: { kind, description } }: MessageEvent<SourceDescription>) => {
  // SAFETY: the page sends what the source of this kind has read.
  postMessage(await DESCRIBE[kind](description as never));
});
