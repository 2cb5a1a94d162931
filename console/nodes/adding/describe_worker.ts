import { describeOpenApi } from 'flow-deployments-client/describing';

addEventListener('message', ({ data }: MessageEvent<string>) => postMessage(describeOpenApi(data)));
