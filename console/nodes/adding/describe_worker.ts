import { describeIdl, describeOpenApi } from 'flow-deployments-client/describing';
import type { DocumentKind } from './kinds.ts';

const DESCRIBE = { openapi: describeOpenApi, idl: describeIdl } as const satisfies Record<DocumentKind, unknown>;

addEventListener('message', async ({ data: { kind, text } }: MessageEvent<{ kind: DocumentKind; text: string }>) => {
  postMessage(await DESCRIBE[kind](text));
});
